// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These are checks of what holds between two cycles.
#include "noc/network.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace noc
{

namespace
{

[[noreturn]] void broken(const std::string &what, uint64_t cycle)
{
	throw std::logic_error(what + ", after cycle " + std::to_string(cycle));
}

} // namespace

void network::check() const
{
	check_flits();
	check_credits();
	check_order();
	check_owners();
}

void network::check_flits() const
{
	uint64_t inside = 0;
	for (uint64_t cycle = 0; cycle < flits_.cycles(); cycle++)
		inside += flits_.at(cycle).size();
	for (const input_vc &in : inputs_)
		inside += in.count;
	if (flits_sent_ != flits_received_ + inside)
		broken("flits are lost or doubled", now_);
}

// Credits + flits in the buffer + flits and credits under way are the buffer's depth.
void network::check_credits() const
{
	std::vector<unsigned> sum(outputs_.size());
	for (size_t i = 0; i < outputs_.size(); i++)
		sum[i] = outputs_[i].credits;
	const auto output = [&](uint32_t input) { return vc_of(ports_[port_of(input)].upstream, within_port(input)); };
	for (uint64_t cycle = 0; cycle < flits_.cycles(); cycle++) {
		for (const uint32_t vc : credits_.at(cycle))
			sum[vc]++;
		for (const arrival &a : flits_.at(cycle))
			sum[output(a.vc)]++;
	}
	for (uint32_t i = 0; i < inputs_.size(); i++)
		if (inputs_[i].count > 0)
			sum[output(i)] += inputs_[i].count;
	for (size_t i = 0; i < sum.size(); i++)
		if (sum[i] != p_.depth)
			broken("credits of output VC " + std::to_string(i) + " do not add up", now_);
}

// In a buffer a packet's flits follow each other, the head first.
void network::check_order() const
{
	for (uint32_t vc = 0; vc < inputs_.size(); vc++) {
		const input_vc &in = inputs_[vc];
		for (unsigned i = 0; i + 1 < in.count; i++) {
			const flit a = buffers_[vc * p_.depth + (in.first + i) % p_.depth];
			const flit b = buffers_[vc * p_.depth + (in.first + i + 1) % p_.depth];
			if (a.tail ? !b.head : b.head || a.packet != b.packet)
				broken("flits of input VC " + std::to_string(vc) + " are out of order", now_);
		}
	}
}

// An output VC belongs to the one input VC that has it, and what can go through the switch has asked to.
void network::check_owners() const
{
	for (uint32_t o = 0; o < vc_of(router_ports_, 0); o++) {
		const uint32_t owner = outputs_[o].owner, number = port_of(o);
		const bool free = ports_[number].free >> within_port(o) & 1;
		if (ports_[number].target != no_port && within_port(o) < p_.vcs && free != (owner == no_vc))
			broken("output VC " + std::to_string(o) + " is free and has an owner, or neither", now_);
	}
	for (uint32_t i = 0; i < vc_of(router_ports_, 0); i++) {
		const input_vc &in = inputs_[i];
		const port &at = ports_[port_of(i)];
		const output_vc &o = outputs_[vc_of(at.first + in.port, in.vc)];
		if (in.active && o.owner != i)
			broken("input VC " + std::to_string(i) + " uses an output VC that is another's", now_);
		const bool asks = at.requests[in.port] >> within_port(i) & 1;
		if (asks != (in.active && in.count > 0 && o.credits > 0))
			broken("input VC " + std::to_string(i) + " asks for the switch in vain, or not though it could",
			       now_);
	}
}

std::string network::name_of(uint32_t vc) const
{
	const uint32_t number = port_of(vc);
	const std::string of_port = ", VC " + std::to_string(within_port(vc));
	if (number >= router_ports_) {
		const auto above = std::upper_bound(home_.begin(), home_.end(), number);
		return "terminal " + std::to_string(above - home_.begin() - 1) + of_port;
	}
	const port &at = ports_[number];
	return "router " + std::to_string(at.router) + " input " + std::to_string(at.number) + of_port;
}

// Returns the buffer that has to move before the first flit in that of @vc can, or none.
uint32_t network::waits_for(uint32_t vc) const
{
	const uint32_t number = port_of(vc);
	if (number >= router_ports_) {
		// A terminal that does not take a flit waits until it has sent something itself.
		const auto home = std::upper_bound(home_.begin(), home_.end(), number) - 1;
		const auto terminal = unsigned(home - home_.begin());
		for (unsigned c = p_.message_classes; c-- > 0;)
			if (const sending &s = sending_[terminal * p_.message_classes + c]; s.packet != no_packet) {
				const unsigned first = first_vc(class_at(ports_[*home], pool_[s.packet]));
				return vc_of(ports_[*home].target, s.sent > 0 ? s.vc : first);
			}
		return no_vc;
	}
	const input_vc &in = inputs_[vc];
	const uint32_t output = ports_[number].first + in.port;
	if (in.active)
		return vc_of(ports_[output].target, in.vc);
	// It waits for any VC of its class; the first one's owner stands for all.
	const unsigned first = first_vc(class_at(ports_[output], pool_[front(vc).packet]));
	return outputs_[vc_of(output, first)].owner;
}

std::vector<std::string> network::waiting_chain() const
{
	std::vector<std::string> names;
	std::vector<bool> seen(inputs_.size());
	uint32_t vc = 0;
	while (vc < inputs_.size() && inputs_[vc].count == 0)
		vc++;
	for (; vc < inputs_.size() && inputs_[vc].count > 0; vc = waits_for(vc)) {
		names.push_back(name_of(vc));
		if (seen[vc])
			break;
		seen[vc] = true;
	}
	return names;
}

void network::hurt(damage d)
{
	for (uint32_t i = 0; i < vc_of(router_ports_, 0); i++) {
		input_vc &in = inputs_[i];
		output_vc &out = outputs_[i];
		if (d == damage::lose_credit && out.credits > 0 && ports_[port_of(i)].target != no_port) {
			out.credits--;
			return;
		}
		if (d == damage::lose_flit && in.count > 1) {
			in.count--;
			return;
		}
		if (d == damage::second_owner && out.owner != no_vc) {
			out.owner = no_vc;
			ports_[port_of(i)].free |= uint16_t(1u << within_port(i));
			return;
		}
	}
	throw std::logic_error("there is nothing to break");
}

} // namespace noc
