// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/tests/reference.h"

#include <algorithm>
#include <cmath>

namespace noc::test
{

reference::reference(const topology &t, const route_table &routes, const parameters &p)
    : t_(t), routes_(routes), p_(p), routers_(t.routers.size()), sources_(t.terminals.size())
{
	for (size_t r = 0; r < routers_.size(); r++) {
		routers_[r].ports.resize(t.routers[r].ports);
		routers_[r].vc_grant.resize(t.routers[r].ports * p.vcs);
		routers_[r].vc_accept.resize(t.routers[r].ports * p.vcs);
		for (side &s : routers_[r].ports) {
			s.in.resize(p.vcs);
			s.out.assign(p.vcs, {p.depth, false});
		}
	}
	for (const link &l : t.links) {
		side &from = routers_[l.from].ports[l.from_port], &to = routers_[l.to].ports[l.to_port];
		from.to = {l.to, -1, l.to_port};
		to.from = {l.from, -1, l.from_port};
		from.to_cycles = to.from_cycles = l.cycles;
		from.leads = to.led = true;
	}
	for (size_t n = 0; n < t.terminals.size(); n++) {
		const terminal &at = t.terminals[n];
		sources_[n].line.out.assign(p.vcs, {p.depth, false});
		routers_[at.router].ports[at.port].from = {-1, int(n), 0};
		routers_[at.router].ports[at.port].from_cycles = at.cycles;
		for (unsigned e = 0; e < at.ejections; e++) {
			side &out = routers_[at.router].ports[at.port + e];
			out.to = {-1, int(n), e};
			out.to_cycles = at.cycles;
		}
		routers_[at.router].ports[at.port].ejections = at.ejections;
	}
}

bool reference::may_have(const packet &p, unsigned vc, bool shared) const
{
	const unsigned of_message = p_.vcs / p_.message_classes, of_route = of_message / routes_.classes;
	if (vc / of_message != p.message_class)
		return false;
	return shared || vc % of_message / of_route == routes_.class_of(p.route);
}

bool reference::can_inject(unsigned terminal, unsigned message_class) const
{
	const auto at = sources_[terminal].packets.find(message_class);
	return at == sources_[terminal].packets.end() || at->second.empty();
}

void reference::inject(const packet &p)
{
	const auto of = std::make_shared<packet>(p);
	of->hops = of->hop_latency = 0;
	for (unsigned i = 0; i < p.length; i++)
		sources_[p.source].packets[p.message_class].push_back({of, i});
}

void reference::step()
{
	movements_.clear();
	received_.clear();
	for (auto [c, end] = credits_.equal_range(now_); c != end; ++c)
		credit(c->second.first, c->second.second);
	for (auto [f, end] = flits_.equal_range(now_); f != end; ++f)
		arrive(f->second.to, f->second.vc, f->second.f);
	credits_.erase(now_);
	flits_.erase(now_);
	for (unsigned n = 0; n < sources_.size(); n++)
		send(n);
	for (unsigned r = 0; r < routers_.size(); r++)
		run(r);
	now_++;
}

void reference::credit(const end &at, unsigned vc)
{
	side &s = at.router >= 0 ? routers_[size_t(at.router)].ports[at.port] : sources_[size_t(at.terminal)].line;
	s.out[vc].credits++;
}

void reference::arrive(const end &at, unsigned vc, const flit &f)
{
	uint32_t port = at.port;
	for (int r = 0; r < (at.router >= 0 ? at.router : int(routers_.size())); r++)
		port += t_.routers[size_t(r)].ports;
	for (int n = 0; n < at.terminal; n++)
		port += t_.terminals[size_t(n)].ejections;
	movements_.push_back({port, vc, f.of->tag, f.head(), f.tail()});
	if (at.terminal >= 0) {
		const terminal &here = t_.terminals[size_t(at.terminal)];
		const end back = {here.router, -1, here.port + at.port};
		credits_.insert({now_ + 1 + here.cycles + p_.credit_cycles, {back, vc}});
		if (f.tail())
			received_.push_back(*f.of);
		return;
	}
	input &in = routers_[size_t(at.router)].ports[at.port].in[vc];
	in.buffer.push_back(f);
	if (f.head())
		in.arrived.push_back(now_);
	if (in.is == state::idle)
		wait(unsigned(at.router), in);
}

void reference::wait(unsigned router, input &in)
{
	const packet &p = *in.buffer.front().of;
	in.is = state::waiting;
	in.port = routes_.port(p.route, router, p.destination);
	in.port += unsigned(p.tag % routers_[router].ports[in.port].ejections);
}

void reference::send(unsigned terminal)
{
	source &s = sources_[terminal];
	for (unsigned i = 1; i <= p_.message_classes; i++) {
		const unsigned c = (s.last_class + i) % p_.message_classes;
		if (can_inject(terminal, c))
			continue;
		const flit f = s.packets[c].front();
		if (f.head()) {
			std::vector<unsigned> order; // those after the last one, then those up to it
			for (const bool up_to : {false, true})
				for (unsigned vc = 0; vc < p_.vcs; vc++)
					if (may_have(*f.of, vc, !routes_.shared.empty()) &&
					    (vc <= s.last_vc[c]) == up_to)
						order.push_back(vc);
			const auto vc = std::find_if(order.begin(), order.end(), [&](unsigned v) {
				return !s.line.out[v].taken && s.line.out[v].credits > 0;
			});
			if (vc == order.end())
				continue;
			s.vc[c] = *vc;
		}
		output &out = s.line.out[s.vc[c]];
		if (out.credits == 0)
			continue;
		out.credits--;
		out.taken = !f.tail();
		s.last_vc[c] = s.vc[c];
		s.last_class = c;
		const struct terminal &at = t_.terminals[terminal];
		flits_.insert({now_ + 1 + at.cycles + p_.input_cycles, {{at.router, -1, at.port}, s.vc[c], f}});
		s.packets[c].pop_front();
		return;
	}
}

// Both kinds of separable allocation, of inputs (rows) and outputs (columns).
reference::grants reference::match(const matrix &requests, std::vector<unsigned *> grant,
				   std::vector<unsigned *> accept, allocator how) const
{
	const size_t n = requests.size();
	std::vector<int> of_input(n, -1), of_output(n, -1);
	const auto first_from = [n](unsigned start, auto &&wanted) {
		for (size_t k = 0; k < n; k++)
			if (wanted((start + k) % n))
				return int((start + k) % n);
		return -1;
	};
	for (unsigned iteration = 0; iteration < p_.iterations; iteration++) {
		const auto open = [&](size_t i, size_t o) {
			return requests[i][o] && of_input[i] < 0 && of_output[o] < 0;
		};
		const bool outputs_first = how == allocator::islip;
		std::vector<int> picked(n, -1); // by outputs of inputs, or the other way round
		for (size_t a = 0; a < n; a++)
			picked[a] = outputs_first ? first_from(*grant[a], [&](size_t i) { return open(i, a); })
						  : first_from(*accept[a], [&](size_t o) { return open(a, o); });
		for (size_t b = 0; b < n; b++) {
			const int a = first_from(outputs_first ? *accept[b] : *grant[b],
						 [&](size_t x) { return picked[x] == int(b); });
			if (a < 0)
				continue;
			const size_t i = outputs_first ? b : size_t(a), o = outputs_first ? size_t(a) : b;
			of_input[i] = int(o);
			of_output[o] = int(i);
			if (outputs_first && iteration > 0)
				continue;
			*grant[o] = unsigned((i + 1) % n);
			*accept[i] = unsigned((o + 1) % n);
		}
	}
	grants made;
	for (size_t i = 0; i < n; i++)
		if (of_input[i] >= 0)
			made.emplace_back(i, of_input[i]);
	return made;
}

void reference::run(unsigned router)
{
	node &r = routers_[router];
	const size_t ports = r.ports.size(), vcs = ports * p_.vcs;
	const auto in = [&](size_t i) -> input & { return r.ports[i / p_.vcs].in[i % p_.vcs]; };
	const auto out = [&](size_t o) -> output & { return r.ports[o / p_.vcs].out[o % p_.vcs]; };

	matrix wants_vc(vcs, std::vector<bool>(vcs)), wants_switch(ports, std::vector<bool>(ports));
	for (size_t i = 0; i < vcs; i++) {
		input &from = in(i);
		if (from.is == state::waiting)
			for (size_t o = from.port * p_.vcs; o < (from.port + 1) * p_.vcs; o++)
				wants_vc[i][o] =
					!out(o).taken && may_have(*from.buffer.front().of, unsigned(o % p_.vcs),
								  routes_.is_shared(router, from.port));
		if (from.is == state::active && !from.buffer.empty() && out(from.port * p_.vcs + from.vc).credits > 0)
			wants_switch[i / p_.vcs][from.port] = true;
	}
	std::vector<unsigned *> vc_grant, vc_accept, grant, accept;
	for (size_t i = 0; i < vcs; i++) {
		vc_grant.push_back(&r.vc_grant[i]);
		vc_accept.push_back(&r.vc_accept[i]);
	}
	for (side &s : r.ports) {
		grant.push_back(&s.grant);
		accept.push_back(&s.accept);
	}
	const grants vc_grants = match(wants_vc, vc_grant, vc_accept, p_.vc_allocator);
	for (auto [from, to] : match(wants_switch, grant, accept, p_.switch_allocator))
		traverse(router, from, to);
	for (auto [i, o] : vc_grants) {
		in(i).is = state::active;
		in(i).vc = o % p_.vcs;
		out(o).taken = true;
	}
}

void reference::traverse(unsigned router, unsigned in_port, unsigned out_port)
{
	side &from = routers_[router].ports[in_port], &to = routers_[router].ports[out_port];
	unsigned vc = from.turn;
	const auto ready = [&] {
		const input &in = from.in[vc];
		return in.is == state::active && in.port == out_port && !in.buffer.empty() && to.out[in.vc].credits > 0;
	};
	while (!ready())
		vc = (vc + 1) % p_.vcs;
	from.turn = (vc + 1) % p_.vcs;
	input &in = from.in[vc];
	const flit f = in.buffer.front();
	in.buffer.pop_front();
	credits_.insert(
		{now_ + 1 + from.from_cycles + (from.from.router >= 0 ? p_.credit_cycles : 0), {from.from, vc}});
	to.out[in.vc].credits--;
	flits_.insert({now_ + 1 + p_.switch_cycles + to.to_cycles + (to.to.router >= 0 ? p_.input_cycles : 0),
		       {to.to, in.vc, f}});
	if (f.head()) {
		packet &p = *f.of;
		const uint64_t here = now_ + 1 + p_.switch_cycles + p_.input_cycles - in.arrived.front();
		in.arrived.pop_front();
		const double one = std::pow(2, p_.latency_fraction), most = (p_.latency_cap + 1.0) * one - 1;
		const double mean = std::floor((p.hop_mean * double(p.hops) + double(here) * one) / (p.hops + 1));
		p.hop_mean = uint16_t(std::min(mean, most));
		p.hop_latency = uint8_t(p.hop_mean / one);
		p.hops++;
	}
	if (!f.tail())
		return;
	to.out[in.vc].taken = false;
	in.is = state::idle;
	if (!in.buffer.empty())
		wait(router, in);
}

std::vector<network::movement> reference::movements() const
{
	std::vector<network::movement> m = movements_;
	std::sort(m.begin(), m.end());
	return m;
}

} // namespace noc::test
