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

constexpr unsigned max_vcs = 16, max_input_vcs = 128;
constexpr unsigned max_fraction = 8, max_cap = 255; // of a mean that 16 bits hold

// It divides numbers below 2^26 by 1 to 256, exactly: the reciprocals are rounded up by less than 2^-26 of themselves.
class divider
{
      public:
	constexpr divider()
	{
		for (unsigned d = 1; d <= most; d++)
			reciprocals_[d] = (uint64_t(1) << bits) / d + 1;
	}
	uint32_t operator()(uint32_t n, unsigned d) const { return uint32_t(n * reciprocals_[d] >> bits); }

      private:
	static constexpr unsigned most = 256, bits = 34;
	uint64_t reciprocals_[most + 1] = {};
};

constexpr divider divide;

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
		if (r.ports > max_ports || r.ports * std::bit_ceil(p.vcs) > max_input_vcs)
			throw std::invalid_argument("a router has at most 16 ports and 128 input VCs");
	vc_bits_ = unsigned(std::countr_zero(std::bit_ceil(p.vcs)));
	for (unsigned route = 0; route < routes.routes; route++)
		class_of_route_.push_back(uint8_t(routes.class_of(route)));
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
		ports_[i].shared = i >= router_ports_ ? !routes_.shared.empty()
						      : routes_.is_shared(ports_[i].router, ports_[i].number);
}

void network::number_ports(const topology &t)
{
	for (const router &r : t.routers) {
		const uint32_t first = uint32_t(ports_.size());
		first_port_.push_back(first);
		routers_.push_back({first, r.ports, 0, 0});
		for (unsigned i = 0; i < r.ports; i++) {
			port p;
			p.first = first;
			p.router = uint16_t(routers_.size() - 1);
			p.number = uint8_t(i);
			ports_.push_back(p);
		}
	}
	router_ports_ = uint32_t(ports_.size());
	uint32_t ports = router_ports_;
	for (const terminal &at : t.terminals)
		ports += at.ejections;
	ports_.resize(ports);
}

void network::join(uint32_t output, uint32_t input, uint8_t cycles)
{
	const bool from_router = output < router_ports_, to_router = input < router_ports_;
	port &from = ports_[output], &to = ports_[input];
	from.target = input;
	from.free = uint16_t((1u << p_.vcs) - 1);
	from.flit_cycles =
		uint16_t(1 + cycles + (from_router ? p_.switch_cycles : 0) + (to_router ? p_.input_cycles : 0));
	to.upstream = output;
	to.credit_cycles = uint16_t(1 + cycles + (from_router ? p_.credit_cycles : 0));
}

void network::allocate_memory()
{
	const size_t ports = ports_.size(), vcs = ports << vc_bits_;
	passed_.resize(routers_.size());
	inputs_.resize(vcs);
	outputs_.resize(vcs);
	for (output_vc &o : outputs_)
		o.credits = uint8_t(p_.depth);
	buffers_.resize(vcs * p_.depth);
	waiting_.resize(ports * classes_);
	receivers_.resize(ports - router_ports_);
	senders_.resize(home_.size());
	sending_.resize(home_.size() * p_.message_classes);
	unsigned longest = 0;
	for (const port &p : ports_)
		longest = std::max<unsigned>(longest, std::max(p.flit_cycles, p.credit_cycles));
	flits_.resize(std::bit_ceil(longest + 1), ports);
	credits_.resize(flits_.cycles(), ports);
	// Each packet has a flit in a buffer, on the way to one, or at its source.
	pool_.resize(ports * p_.vcs * p_.depth + sending_.size());
	for (size_t i = pool_.size(); i-- > 0;)
		free_packets_.push_back(uint32_t(i));
	received_.reserve(ports);
}

unsigned network::capacity(unsigned router) const
{
	unsigned connected = 0;
	for (unsigned i = 0; i < routers_[router].ports; i++)
		connected += ports_[first_port_[router] + i].upstream != no_port;
	return connected * p_.vcs * p_.depth;
}

unsigned network::buffered(unsigned router) const
{
	unsigned sum = 0;
	for (unsigned i = 0; i < routers_[router].ports; i++)
		sum += buffered(router, i);
	return sum;
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
	sending &s = sending_[p.source * p_.message_classes + p.message_class];
	s.packet = n;
	s.sent = 0;
	senders_[p.source].busy++;
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
	for (router_state &r : routers_)
		if ((r.waiting | r.requesting) != 0)
			run(r);
	now_++;
	if (p_.checked)
		check();
}

// --- what is under way -------------------------------------------------------

void network::deliver_credits()
{
	for (const uint32_t vc : credits_.at(now_)) {
		output_vc &o = outputs_[vc];
		if (o.credits++ == 0 && o.owner != no_vc && inputs_[o.owner].count > 0)
			request(o.owner);
	}
	credits_.clear(now_);
}

void network::deliver_flits()
{
	const uint32_t router_vcs = vc_of(router_ports_, 0);
	const std::span<const arrival> arrivals = flits_.at(now_);
	for (const arrival &a : arrivals) {
		if (a.vc < router_vcs) {
			arrive(a.vc, a.f);
			continue;
		}
		const receiver &to = receivers_[port_of(a.vc) - router_ports_];
		if (to.waiting == 0 && !(to.refused >> within_port(a.vc) & 1))
			receive(a.vc, a.f);
		else
			hold(a.vc, a.f);
	}
	delivered_ = uint32_t(arrivals.size());
	flits_.clear(now_);
}

// Returns how many flits are in the buffer then.
inline unsigned network::put(input_vc &in, uint32_t vc, flit f)
{
	const unsigned at = in.first + in.count;
	buffers_[vc * p_.depth + (at >= p_.depth ? at - p_.depth : at)] = f;
	return ++in.count;
}

void network::arrive(uint32_t vc, flit f)
{
	input_vc &in = inputs_[vc];
	port &at = ports_[port_of(vc)];
	at.buffered++;
	if (f.head)
		pool_[f.packet].arrived = now_;
	if (put(in, vc, f) > 1)
		return;
	if (!in.active)
		start(vc);
	else if (outputs_[vc_of(at.first + in.port, in.vc)].credits > 0)
		request(vc);
}

// A terminal does not take the flit yet.
void network::hold(uint32_t vc, flit f)
{
	put(inputs_[vc], vc, f);
	ports_[port_of(vc)].buffered++;
	receivers_[port_of(vc) - router_ports_].waiting |= uint16_t(1u << within_port(vc));
	held_++;
}

// --- terminals ---------------------------------------------------------------

bool network::has_vc(sending &s, unsigned terminal)
{
	const port &out = ports_[home_[terminal]];
	const output_vc *const vcs = &outputs_[vc_of(home_[terminal], 0)];
	if (s.sent > 0)
		return vcs[s.vc].credits > 0;
	const unsigned first = first_vc(class_at(out, pool_[s.packet])), count = vcs_of_class(out);
	unsigned vc = s.last_vc;
	if (vc < first || vc >= first + count)
		vc = first + count - 1;
	for (unsigned i = 0; i < count; i++) {
		vc = vc + 1 == first + count ? first : vc + 1;
		if ((out.free >> vc & 1) && vcs[vc].credits > 0) {
			s.vc = uint8_t(vc);
			return true;
		}
	}
	return false;
}

// A terminal sends one flit; message classes take turns.
void network::send(unsigned terminal)
{
	sender &of = senders_[terminal];
	port &out = ports_[home_[terminal]];
	unsigned c = of.last_class;
	for (unsigned i = 0; i < p_.message_classes; i++) {
		c = c + 1 == p_.message_classes ? 0 : c + 1;
		sending &s = sending_[terminal * p_.message_classes + c];
		if (s.packet == no_packet || !has_vc(s, terminal))
			continue;
		const bool head = s.sent == 0, tail = ++s.sent == pool_[s.packet].length;
		out.free = uint16_t(tail ? out.free | 1u << s.vc : out.free & ~(1u << s.vc));
		outputs_[vc_of(home_[terminal], s.vc)].credits--;
		s.last_vc = s.vc;
		of.last_class = uint8_t(c);
		flits_.add(now_ + out.flit_cycles, {vc_of(out.target, s.vc), {s.packet, head, tail}});
		flits_sent_++;
		if (tail) {
			s.packet = no_packet;
			of.busy--;
		}
		return;
	}
}

void network::receive(uint32_t vc, flit f)
{
	const port &in = ports_[port_of(vc)];
	credits_.add(now_ + in.credit_cycles, vc_of(in.upstream, within_port(vc)));
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
	const uint32_t vc = vc_of(terminal_port, v);
	input_vc &in = inputs_[vc];
	const flit f = front(vc);
	in.first = uint8_t((in.first + 1) % p_.depth);
	ports_[terminal_port].buffered--;
	held_--;
	if (--in.count == 0)
		r.waiting &= uint16_t(~(1u << v));
	receive(vc, f);
}

// --- routers -----------------------------------------------------------------

// VCs are allocated from what was so at the start of the cycle, and so they are taken when the switch has been
// allocated.
void network::run(router_state &r)
{
	matching m;
	if (r.waiting != 0)
		allocate_vcs(r, m);
	if (r.requesting != 0)
		allocate_switch(r);
	for (unsigned i = 0; i < m.count; i++) {
		take(r, m.grants[i]);
		const vc_set *const sets = &waiting_[(r.first + m.grants[i].port) * classes_];
		if (sets[0].empty() &&
		    std::all_of(sets + 1, sets + classes_, [](const vc_set &s) { return s.empty(); }))
			r.waiting &= uint16_t(~(1u << m.grants[i].port));
	}
}

// An input VC gets the output VC that it was granted.
inline void network::take(const router_state &r, const vc_grant &g)
{
	const uint32_t vc = vc_of(r.first, g.input), output = r.first + g.port;
	input_vc &in = inputs_[vc];
	in.active = true;
	in.vc = g.vc;
	ports_[output].free &= uint16_t(~(1u << g.vc));
	output_vc &o = outputs_[vc_of(output, g.vc)];
	o.owner = vc;
	waiting_[output * classes_ + g.vc_class].remove(g.input);
	if (o.credits > 0)
		request(vc);
}

// The head flit at the front of @vc asks for an output VC.
inline void network::start(uint32_t vc)
{
	input_vc &in = inputs_[vc];
	const port &at = ports_[port_of(vc)];
	const packet &p = pool_[front(vc).packet];
	unsigned output = routes_.port(p.route, at.router, p.destination);
	const port &out = ports_[at.first + output];
	if (out.siblings > 1)
		output += unsigned(p.tag % out.siblings);
	in.port = uint8_t(output);
	waiting_[(at.first + output) * classes_ + class_at(out, p)].add(within_router(vc, at));
	routers_[at.router].waiting |= uint16_t(1u << output);
}

inline void network::request(uint32_t vc)
{
	const input_vc &in = inputs_[vc];
	port &at = ports_[port_of(vc)];
	at.requests[in.port] |= uint16_t(1u << within_port(vc));
	at.wants |= uint16_t(1u << in.port);
	ports_[at.first + in.port].wanted |= uint16_t(1u << at.number);
	routers_[at.router].requesting |= uint16_t(1u << in.port);
}

inline void network::withdraw(uint32_t vc)
{
	const input_vc &in = inputs_[vc];
	port &at = ports_[port_of(vc)];
	uint16_t &vcs = at.requests[in.port];
	vcs &= uint16_t(~(1u << within_port(vc)));
	if (vcs != 0)
		return;
	at.wants &= uint16_t(~(1u << in.port));
	uint16_t &wanted = ports_[at.first + in.port].wanted;
	wanted &= uint16_t(~(1u << at.number));
	if (wanted == 0)
		routers_[at.router].requesting &= uint16_t(~(1u << in.port));
}

void network::allocate_switch(router_state &r)
{
	if ((r.requesting & (r.requesting - 1)) == 0) { // one output: whoever it picks has it
		const unsigned output = unsigned(std::countr_zero(r.requesting));
		port *const ports = &ports_[r.first];
		const unsigned input = pick(ports[output].wanted, ports[output].switch_grant);
		pair_up(r, input, output);
		traverse(r, input, output);
		return;
	}
	uint8_t output_of[max_ports];
	unsigned matched =
		p_.switch_allocator == allocator::islip ? match_islip(r, output_of) : match_round_robin(r, output_of);
	for (; matched != 0; matched &= matched - 1) {
		const unsigned input = unsigned(std::countr_zero(matched));
		traverse(r, input, output_of[input]);
	}
}

// A flit goes through the switch.
void network::traverse(router_state &r, unsigned input, unsigned output)
{
	port &in = ports_[r.first + input], &out = ports_[r.first + output];
	const unsigned v = pick(in.requests[output], in.next_vc);
	in.next_vc = uint8_t(v + 1 == p_.vcs ? 0 : v + 1);
	const uint32_t vc = vc_of(r.first + input, v);
	input_vc &from = inputs_[vc];
	const flit f = front(vc);
	from.first = uint8_t(from.first + 1u == p_.depth ? 0 : from.first + 1);
	from.count--;
	in.buffered--;
	flits_switched_++;
	credits_.add(now_ + in.credit_cycles, vc_of(in.upstream, v));

	output_vc &to = outputs_[vc_of(r.first + output, from.vc)];
	to.credits--;
	flits_.add(now_ + out.flit_cycles, {vc_of(out.target, from.vc), f});
	if (f.head)
		count_hop(in.router, pool_[f.packet]);
	if (!f.tail) {
		if (from.count == 0 || to.credits == 0)
			withdraw(vc);
		return;
	}
	withdraw(vc);
	to.owner = no_vc;
	out.free |= uint16_t(1u << from.vc);
	from.active = false;
	if (from.count > 0)
		start(vc);
}

// L = (L × hops + time in this router) / (hops + 1). Where L stops matters: a long wait that was cut off is soon
// outweighed by the hops that follow.
inline void network::count_hop(unsigned router, pooled &p)
{
	constexpr uint64_t long_past_cap = 1 << 17; // after any number of hops that fits
	const uint64_t here = now_ - p.arrived + 1 + p_.switch_cycles + p_.input_cycles;
	const auto counted = uint32_t(std::min(here, long_past_cap));
	const uint32_t mean = divide(uint32_t(p.hop_mean) * p.hops + (counted << p_.latency_fraction), p.hops + 1u);
	p.hop_mean = uint16_t(std::min(mean, ((p_.latency_cap + 1) << p_.latency_fraction) - 1));
	p.hops++;
	passed_[router].heads++;
	passed_[router].cycles += here;
}

void network::movements(std::vector<movement> &out) const
{
	out.clear();
	// They are still where they were, though they count no more.
	const arrival *const arrivals = flits_.at(now_ - 1).data();
	for (uint32_t i = 0; i < delivered_; i++) {
		const arrival &a = arrivals[i];
		out.push_back(
			{port_of(a.vc), within_port(a.vc), pool_[a.f.packet].tag, bool(a.f.head), bool(a.f.tail)});
	}
	std::sort(out.begin(), out.end());
}

} // namespace noc
