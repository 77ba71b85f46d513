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
	for (const slot<arrival> &s : flits_)
		inside += s.count;
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
	for (const slot<uint32_t> &s : credits_)
		for (uint32_t i = 0; i < s.count; i++)
			sum[s.items[i]]++;
	const auto output = [&](uint32_t input) { return ports_[input / p_.vcs].upstream * p_.vcs + input % p_.vcs; };
	for (const slot<arrival> &s : flits_)
		for (uint32_t i = 0; i < s.count; i++)
			sum[output(s.items[i].port * p_.vcs + s.items[i].vc)]++;
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
	for (uint32_t o = 0; o < router_ports_ * p_.vcs; o++) {
		const uint32_t owner = outputs_[o].owner, number = o / p_.vcs;
		const bool free = ports_[number].free >> (o % p_.vcs) & 1;
		if (ports_[number].target != no_vc && free != (owner == no_vc))
			broken("output VC " + std::to_string(o) + " is free and has an owner, or neither", now_);
	}
	for (uint32_t i = 0; i < router_ports_ * p_.vcs; i++) {
		const input_vc &in = inputs_[i];
		const uint32_t number = i / p_.vcs;
		const output_vc &o = outputs_[(first_port_[router_of_[number]] + in.port) * p_.vcs + in.vc];
		if (in.active && o.owner != i)
			broken("input VC " + std::to_string(i) + " uses an output VC that is another's", now_);
		const bool asks = requests_[number * stride_ + in.port] >> (i % p_.vcs) & 1;
		if (asks != (in.active && in.count > 0 && o.credits > 0))
			broken("input VC " + std::to_string(i) + " asks for the switch in vain, or not though it could",
			       now_);
	}
}

std::string network::name_of(uint32_t vc) const
{
	const uint32_t number = vc / p_.vcs;
	if (number >= router_ports_) {
		const auto above = std::upper_bound(home_.begin(), home_.end(), number);
		return "terminal " + std::to_string(above - home_.begin() - 1) + ", VC " + std::to_string(vc % p_.vcs);
	}
	const unsigned router = router_of_[number];
	return "router " + std::to_string(router) + " input " + std::to_string(number - first_port_[router]) + ", VC " +
	       std::to_string(vc % p_.vcs);
}

// Returns the buffer that has to move before the first flit in that of @vc can, or none.
uint32_t network::waits_for(uint32_t vc) const
{
	const uint32_t number = vc / p_.vcs;
	if (number >= router_ports_) {
		// A terminal that does not take a flit waits until it has sent something itself.
		const auto home = std::upper_bound(home_.begin(), home_.end(), number) - 1;
		const sender &s = senders_[size_t(home - home_.begin())];
		for (unsigned c = p_.message_classes; c-- > 0;)
			if (s.packets[c] != no_packet) {
				const packet &p = pool_[s.packets[c]];
				const unsigned own = s.sent[c] > 0 ? s.vc[c] : first_vc(class_at(ports_[*home], p));
				return ports_[*home].target * p_.vcs + own;
			}
		return no_vc;
	}
	const input_vc &in = inputs_[vc];
	const uint32_t output = first_port_[router_of_[number]] + in.port;
	if (in.active)
		return ports_[output].target * p_.vcs + in.vc;
	// It waits for any VC of its class; the first one's owner stands for all.
	const unsigned first = first_vc(class_at(ports_[output], pool_[buffers_[vc * p_.depth + in.first].packet]));
	return outputs_[output * p_.vcs + first].owner;
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
	for (uint32_t i = 0; i < router_ports_ * p_.vcs; i++) {
		input_vc &in = inputs_[i];
		output_vc &out = outputs_[i];
		if (d == damage::lose_credit && out.credits > 0 && ports_[i / p_.vcs].target != no_vc) {
			out.credits--;
			return;
		}
		if (d == damage::lose_flit && in.count > 1) {
			in.count--;
			return;
		}
		if (d == damage::second_owner && out.owner != no_vc) {
			out.owner = no_vc;
			ports_[i / p_.vcs].free |= uint16_t(1u << (i % p_.vcs));
			return;
		}
	}
	throw std::logic_error("there is nothing to break");
}

} // namespace noc
