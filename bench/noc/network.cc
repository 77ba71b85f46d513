// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/network.h"

#include "noc/pick.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace noc
{

namespace
{

constexpr unsigned max_vcs = 16, max_ports = 16, max_input_vcs = 128;
constexpr unsigned max_fraction = 8, max_cap = 255; // of a mean that 16 bits hold

} // namespace

network::network(const topology &t, const route_table &routes, const parameters &p)
    : p_(p), routes_(routes), route_classes_(routes.classes), classes_(p.message_classes * routes.classes),
      class_vcs_(classes_ ? p.vcs / classes_ : 0)
{
	if (p.vcs > max_vcs || p.depth > 255 || p.depth == 0 || p.iterations == 0 || class_vcs_ * classes_ != p.vcs ||
	    class_vcs_ == 0)
		throw std::invalid_argument(
			"VCs must be at most 16 and divide among the classes, buffers hold 1 to 255 flits");
	if (p.latency_fraction > max_fraction || p.latency_cap > max_cap)
		throw std::invalid_argument(
			"a head flit holds means up to 255 cycles, with at most 8 bits of fraction");
	for (const router &r : t.routers)
		if (r.ports > max_ports || r.ports * p.vcs > max_input_vcs)
			throw std::invalid_argument("a router has at most 16 ports and 128 input VCs");
	number_ports(t);
	for (const link &l : t.links)
		join(first_port_[l.from] + l.from_port, first_port_[l.to] + l.to_port, l.cycles);
	uint32_t next = router_ports_;
	for (const terminal &at : t.terminals) {
		const uint32_t local = first_port_[at.router] + at.port;
		home_.push_back(next);
		join(next, local, at.cycles);
		for (unsigned e = 0; e < at.ejections; e++)
			join(local + e, next++, at.cycles);
		ports_[local].siblings = at.ejections;
	}
	share_vcs();
	allocate_memory();
}

void network::share_vcs()
{
	for (uint32_t i = 0; i < ports_.size(); i++)
		ports_[i].shared = i >= router_ports_
					   ? !routes_.shared.empty()
					   : routes_.is_shared(router_of_[i], i - first_port_[router_of_[i]]);
}

void network::number_ports(const topology &t)
{
	uint32_t ports = 0;
	for (const router &r : t.routers) {
		first_port_.push_back(ports);
		routers_.push_back({ports, r.ports, 0, 0});
		router_of_.insert(router_of_.end(), r.ports, uint16_t(routers_.size() - 1));
		ports += r.ports;
		stride_ = std::max<uint32_t>(stride_, r.ports);
	}
	router_ports_ = ports;
	for (const terminal &at : t.terminals)
		ports += at.ejections;
	ports_.resize(ports);
}

void network::join(uint32_t output, uint32_t input, uint8_t cycles)
{
	ports_[output].target = input;
	ports_[output].cycles = cycles;
	ports_[output].free = uint16_t((1u << p_.vcs) - 1);
	ports_[input].upstream = output;
	ports_[input].upstream_cycles = cycles;
}

void network::allocate_memory()
{
	const size_t ports = ports_.size(), vcs = ports * p_.vcs;
	buffered_.resize(routers_.size());
	passed_.resize(routers_.size());
	inputs_.resize(vcs);
	outputs_.resize(vcs);
	for (output_vc &o : outputs_)
		o.credits = uint8_t(p_.depth);
	accept_.resize(vcs);
	buffers_.resize(vcs * p_.depth);
	waiting_.resize(ports * classes_);
	requests_.resize(ports * stride_);
	receivers_.resize(ports - router_ports_);
	for (size_t n = 0; n < home_.size(); n++) {
		sender s;
		s.packets.assign(p_.message_classes, no_packet);
		s.sent.resize(p_.message_classes);
		s.vc.resize(p_.message_classes);
		s.last_vc.resize(p_.message_classes);
		senders_.push_back(s);
	}
	unsigned longest = 0;
	for (const port &p : ports_)
		longest = std::max<unsigned>(longest, p.cycles);
	const unsigned cycles = longest + p_.switch_cycles + p_.input_cycles + p_.credit_cycles + 2;
	flits_.resize(std::bit_ceil(cycles));
	credits_.resize(flits_.size());
	for (size_t i = 0; i < flits_.size(); i++) {
		flits_[i].items.resize(ports);
		credits_[i].items.resize(ports);
	}
	// Each packet has a flit in a buffer, on the way to one, or at its source.
	pool_.resize(vcs * p_.depth + home_.size() * p_.message_classes);
	for (size_t i = pool_.size(); i-- > 0;)
		free_packets_.push_back(uint32_t(i));
	received_.reserve(ports);
}

unsigned network::capacity(unsigned router) const
{
	unsigned connected = 0;
	for (unsigned i = 0; i < routers_[router].ports; i++)
		connected += ports_[first_port_[router] + i].upstream != no_vc;
	return connected * p_.vcs * p_.depth;
}

double network::fullest_port(unsigned router) const
{
	unsigned most = 0;
	for (unsigned i = 0; i < routers_[router].ports; i++)
		most = std::max(most, buffered(router, i));
	return double(most) / (p_.vcs * p_.depth);
}

void network::inject(const packet &p)
{
	const uint32_t n = free_packets_.back();
	free_packets_.pop_back();
	static_cast<packet &>(pool_[n]) = p;
	pool_[n].hops = pool_[n].hop_latency = 0;
	pool_[n].hop_mean = 0;
	pool_[n].received = 0;
	sender &s = senders_[p.source];
	s.packets[p.message_class] = n;
	s.sent[p.message_class] = 0;
	s.busy++;
}

void network::accept(unsigned terminal, unsigned message_class, bool yes)
{
	const unsigned vcs = class_vcs_ * route_classes_;
	const uint16_t of_class = uint16_t(((1u << vcs) - 1) << (message_class * vcs));
	const uint32_t end = terminal + 1 < home_.size() ? home_[terminal + 1] : uint32_t(ports_.size());
	for (uint32_t i = home_[terminal]; i < end; i++) {
		uint16_t &refused = receivers_[i - router_ports_].refused;
		refused = uint16_t(yes ? refused & ~of_class : refused | of_class);
	}
}

void network::step()
{
	received_.clear();
	deliver_credits();
	deliver_flits();
	if (held_ > 0)
		for (uint32_t port = router_ports_; port < ports_.size(); port++)
			drain(port);
	for (unsigned n = 0; n < senders_.size(); n++)
		if (senders_[n].busy > 0)
			send(n);
	for (unsigned r = 0; r < routers_.size(); r++)
		if ((routers_[r].waiting | routers_[r].requesting) != 0)
			run(r);
	now_++;
	if (p_.checked)
		check();
}

// --- what is under way -------------------------------------------------------

void network::schedule(uint64_t cycle, uint32_t number, unsigned v, flit f)
{
	slot<arrival> &s = flits_[cycle & (flits_.size() - 1)];
	s.items[s.count++] = {number, v, f};
}

void network::schedule_credit(uint64_t cycle, uint32_t vc)
{
	slot<uint32_t> &s = credits_[cycle & (credits_.size() - 1)];
	s.items[s.count++] = vc;
}

void network::deliver_credits()
{
	slot<uint32_t> &s = credits_[now_ & (credits_.size() - 1)];
	for (uint32_t i = 0; i < s.count; i++) {
		output_vc &o = outputs_[s.items[i]];
		if (o.credits++ == 0 && o.owner != no_vc && inputs_[o.owner].count > 0)
			request(o.owner / p_.vcs, o.owner % p_.vcs);
	}
	s.count = 0;
}

void network::deliver_flits()
{
	slot<arrival> &s = flits_[now_ & (flits_.size() - 1)];
	for (uint32_t i = 0; i < s.count; i++) {
		const arrival &a = s.items[i];
		if (a.port < router_ports_)
			arrive(a.port, a.vc, a.f);
		else if (receiver &to = receivers_[a.port - router_ports_];
			 to.waiting == 0 && !(to.refused >> a.vc & 1))
			receive(a.port, a.vc, a.f);
		else
			arrive(a.port, a.vc, a.f);
	}
	delivered_ = s.count;
	s.count = 0;
}

void network::arrive(uint32_t number, unsigned v, flit f)
{
	const uint32_t vc = number * p_.vcs + v;
	input_vc &in = inputs_[vc];
	unsigned at = in.first + in.count++;
	at = at >= p_.depth ? at - p_.depth : at;
	buffers_[vc * p_.depth + at] = f;
	ports_[number].buffered++;
	if (number >= router_ports_) {
		receivers_[number - router_ports_].waiting |= uint16_t(1u << v);
		held_++;
		return;
	}
	buffered_[router_of_[number]]++;
	if (f.head)
		pool_[f.packet].arrived = now_;
	if (in.count > 1)
		return;
	if (!in.active)
		start(number, v);
	else if (outputs_[(first_port_[router_of_[number]] + in.port) * p_.vcs + in.vc].credits > 0)
		request(number, v);
}

// --- terminals ---------------------------------------------------------------

bool network::has_vc(sender &s, const port &out, unsigned message_class)
{
	const packet &p = pool_[s.packets[message_class]];
	const output_vc *const vcs = &outputs_[home_[p.source] * p_.vcs];
	if (s.sent[message_class] > 0)
		return vcs[s.vc[message_class]].credits > 0;
	const unsigned first = first_vc(class_at(out, p)), count = vcs_of_class(out);
	unsigned last = s.last_vc[message_class];
	if (last < first || last >= first + count)
		last = first + count - 1;
	for (unsigned i = 1; i <= count; i++) {
		const unsigned vc = first + (last - first + i) % count;
		if ((out.free >> vc & 1) && vcs[vc].credits > 0) {
			s.vc[message_class] = uint8_t(vc);
			return true;
		}
	}
	return false;
}

// A terminal sends one flit; message classes take turns.
void network::send(unsigned terminal)
{
	sender &s = senders_[terminal];
	port &out = ports_[home_[terminal]];
	for (unsigned i = 1; i <= p_.message_classes; i++) {
		const unsigned c = (s.last_class + i) % p_.message_classes;
		if (s.packets[c] == no_packet || !has_vc(s, out, c))
			continue;
		const uint32_t n = s.packets[c];
		const unsigned vc = s.vc[c];
		const bool head = s.sent[c] == 0, tail = ++s.sent[c] == pool_[n].length;
		out.free = uint16_t(tail ? out.free | 1u << vc : out.free & ~(1u << vc));
		outputs_[home_[terminal] * p_.vcs + vc].credits--;
		s.last_vc[c] = uint8_t(vc);
		s.last_class = uint8_t(c);
		schedule(now_ + 1 + out.cycles + p_.input_cycles, out.target, vc, {n, head, tail});
		flits_sent_++;
		if (tail) {
			s.packets[c] = no_packet;
			s.busy--;
		}
		return;
	}
}

void network::receive(uint32_t number, unsigned v, flit f)
{
	const port &in = ports_[number];
	schedule_credit(now_ + 1 + in.upstream_cycles + p_.credit_cycles, in.upstream * p_.vcs + v);
	flits_received_++;
	pooled &p = pool_[f.packet];
	if (p_.checked && (f.head != (p.received == 0) || f.tail != (p.received + 1 == p.length)))
		throw std::logic_error("flits of a packet are received out of order");
	p.received++;
	if (!f.tail)
		return;
	p.hop_latency = uint8_t(p.hop_mean >> p_.latency_fraction);
	received_.push_back(p);
	free_packets_.push_back(f.packet);
}

void network::drain(uint32_t terminal_port)
{
	receiver &r = receivers_[terminal_port - router_ports_];
	const uint32_t ready = r.waiting & ~uint32_t(r.refused);
	if (ready == 0)
		return;
	const unsigned v = pick(ready, r.next_vc);
	r.next_vc = uint8_t((v + 1) % p_.vcs);
	const uint32_t vc = terminal_port * p_.vcs + v;
	input_vc &in = inputs_[vc];
	const flit f = buffers_[vc * p_.depth + in.first];
	in.first = uint8_t((in.first + 1) % p_.depth);
	ports_[terminal_port].buffered--;
	held_--;
	if (--in.count == 0)
		r.waiting &= uint16_t(~(1u << v));
	receive(terminal_port, v, f);
}

// --- routers -----------------------------------------------------------------

// VCs are allocated from what was so at the start of the cycle, and so they are taken when the switch has been
// allocated.
void network::run(unsigned router)
{
	router_state &r = routers_[router];
	matching m;
	if (r.waiting != 0)
		allocate_vcs(r, m);
	if (r.requesting != 0)
		allocate_switch(router);
	for (unsigned i = 0; i < m.count; i++) {
		const vc_grant &g = m.grants[i];
		const uint32_t vc = r.first * p_.vcs + g.input, output = r.first + g.port;
		input_vc &in = inputs_[vc];
		in.active = true;
		in.vc = g.vc;
		ports_[output].free &= uint16_t(~(1u << g.vc));
		output_vc &o = outputs_[output * p_.vcs + g.vc];
		o.owner = vc;
		vc_set *const sets = &waiting_[output * classes_];
		sets[g.vc_class].remove(g.input);
		if (std::all_of(sets, sets + classes_, [](const vc_set &s) { return s.empty(); }))
			r.waiting &= uint16_t(~(1u << g.port));
		if (o.credits > 0)
			request(r.first + g.input / p_.vcs, g.input % p_.vcs);
	}
}

// The head flit at the front of @vc asks for an output VC.
void network::start(uint32_t number, unsigned v)
{
	const uint32_t vc = number * p_.vcs + v;
	input_vc &in = inputs_[vc];
	const unsigned router = router_of_[number];
	router_state &r = routers_[router];
	const packet &p = pool_[buffers_[vc * p_.depth + in.first].packet];
	unsigned output = routes_.port(p.route, router, p.destination);
	if (const unsigned siblings = ports_[r.first + output].siblings; siblings > 1)
		output += unsigned(p.tag % siblings);
	in.port = uint8_t(output);
	waiting_[(r.first + output) * classes_ + class_at(ports_[r.first + output], p)].add(vc - r.first * p_.vcs);
	r.waiting |= uint16_t(1u << output);
}

void network::request(uint32_t number, unsigned v)
{
	const input_vc &in = inputs_[number * p_.vcs + v];
	router_state &r = routers_[router_of_[number]];
	requests_[number * stride_ + in.port] |= uint16_t(1u << v);
	ports_[number].wants |= uint16_t(1u << in.port);
	ports_[r.first + in.port].wanted |= uint16_t(1u << (number - r.first));
	r.requesting |= uint16_t(1u << in.port);
}

void network::withdraw(uint32_t number, unsigned v)
{
	const input_vc &in = inputs_[number * p_.vcs + v];
	router_state &r = routers_[router_of_[number]];
	uint16_t &vcs = requests_[number * stride_ + in.port];
	vcs &= uint16_t(~(1u << v));
	if (vcs != 0)
		return;
	ports_[number].wants &= uint16_t(~(1u << in.port));
	uint16_t &wanted = ports_[r.first + in.port].wanted;
	wanted &= uint16_t(~(1u << (number - r.first)));
	if (wanted == 0)
		r.requesting &= uint16_t(~(1u << in.port));
}

void network::allocate_switch(unsigned router)
{
	router_state &r = routers_[router];
	uint8_t output_of[max_ports];
	unsigned matched =
		p_.switch_allocator == allocator::islip ? match_islip(r, output_of) : match_round_robin(r, output_of);
	for (; matched != 0; matched &= matched - 1) {
		const unsigned input = unsigned(std::countr_zero(matched));
		traverse(router, input, output_of[input]);
	}
}

// A flit goes through the switch.
void network::traverse(unsigned router, unsigned input, unsigned output)
{
	router_state &r = routers_[router];
	const uint32_t in_port = r.first + input, out_port = r.first + output;
	port &in = ports_[in_port], &out = ports_[out_port];
	const unsigned v = pick(requests_[in_port * stride_ + output], in.next_vc);
	in.next_vc = uint8_t(v + 1 == p_.vcs ? 0 : v + 1);
	const uint32_t vc = in_port * p_.vcs + v;
	input_vc &from = inputs_[vc];
	const flit f = buffers_[vc * p_.depth + from.first];
	from.first = uint8_t(from.first + 1u == p_.depth ? 0 : from.first + 1);
	from.count--;
	in.buffered--;
	buffered_[router]--;
	flits_switched_++;
	schedule_credit(now_ + 1 + in.upstream_cycles + (in.upstream < router_ports_ ? p_.credit_cycles : 0),
			in.upstream * p_.vcs + v);

	output_vc &to = outputs_[out_port * p_.vcs + from.vc];
	to.credits--;
	const unsigned input_cycles = out.target < router_ports_ ? p_.input_cycles : 0;
	schedule(now_ + 1 + p_.switch_cycles + out.cycles + input_cycles, out.target, from.vc, f);
	if (f.head)
		count_hop(router, pool_[f.packet]);
	if (!f.tail) {
		if (from.count == 0 || to.credits == 0)
			withdraw(in_port, v);
		return;
	}
	withdraw(in_port, v);
	to.owner = no_vc;
	out.free |= uint16_t(1u << from.vc);
	from.active = false;
	if (from.count > 0)
		start(in_port, v);
}

// L = (L × hops + time in this router) / (hops + 1). Where L stops matters: a long wait that was cut off is soon
// outweighed by the hops that follow.
void network::count_hop(unsigned router, pooled &p)
{
	constexpr uint64_t long_past_cap = 1 << 22; // after any number of hops that fits
	const uint64_t here = now_ - p.arrived + 1 + p_.switch_cycles + p_.input_cycles;
	const auto counted = uint32_t(std::min(here, long_past_cap));
	const uint32_t mean = (uint32_t(p.hop_mean) * p.hops + (counted << p_.latency_fraction)) / (p.hops + 1u);
	p.hop_mean = uint16_t(std::min(mean, ((p_.latency_cap + 1) << p_.latency_fraction) - 1));
	p.hops++;
	passed_[router].heads++;
	passed_[router].cycles += here;
}

void network::movements(std::vector<movement> &out) const
{
	out.clear();
	const slot<arrival> &s = flits_[(now_ - 1) & (flits_.size() - 1)];
	for (uint32_t i = 0; i < delivered_; i++) {
		const arrival &a = s.items[i];
		out.push_back({a.port, a.vc, pool_[a.f.packet].tag, bool(a.f.head), bool(a.f.tail)});
	}
	std::sort(out.begin(), out.end());
}

} // namespace noc
