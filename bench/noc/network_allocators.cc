// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These are the separable allocators of a router, on sets of bits.
#include "noc/network.h"
#include "noc/pick.h"

#include <bit>

namespace noc
{

namespace
{

unsigned next_of(unsigned i, unsigned n)
{
	return i + 1 == n ? 0 : i + 1;
}

} // namespace

bool network::vc_set::one() const
{
	const uint64_t any = word[0] | word[1];
	return (any & (any - 1)) == 0 && (word[0] == 0 || word[1] == 0);
}

unsigned network::vc_set::lowest() const
{
	return unsigned(word[0] ? std::countr_zero(word[0]) : 64 + std::countr_zero(word[1]));
}

unsigned network::vc_set::from(unsigned start) const
{
	const uint64_t rest = ~0ull << (start & 63);
	if (start < 64) {
		if (const uint64_t w = word[0] & rest)
			return unsigned(std::countr_zero(w));
		return word[1] ? 64 + unsigned(std::countr_zero(word[1])) : lowest();
	}
	if (const uint64_t w = word[1] & rest)
		return 64 + unsigned(std::countr_zero(w));
	return lowest();
}

void network::vc_set::without(const vc_set &o)
{
	word[0] &= ~o.word[0];
	word[1] &= ~o.word[1];
}

// Returns the next of the VCs of @output that the allocator's pointer of @in names.
inline unsigned network::accept_from(uint32_t vcs, const input_vc &in, unsigned output)
{
	return pick(vcs, in.accept_port == output ? in.accept_vc : 0);
}

void network::allocate_vcs(router_state &r, matching &m)
{
	for (unsigned set = r.waiting; set != 0; set &= set - 1) {
		const unsigned output = unsigned(std::countr_zero(set));
		for (unsigned c = 0; c < classes_; c++) {
			const vc_set &waiting = waiting_[(r.first + output) * classes_ + c];
			const uint32_t free = free_vcs(ports_[r.first + output], c);
			if (free == 0 || waiting.empty())
				continue;
			if (waiting.one()) { // whatever it accepts or asks for, it has
				const unsigned input = waiting.lowest();
				const unsigned vc = accept_from(free, inputs_[vc_of(r.first, input)], output);
				grant_vc(r, {uint16_t(input), uint8_t(output), uint8_t(vc), uint8_t(c)}, true, m);
			} else if (p_.vc_allocator == allocator::islip) {
				allocate_vcs_islip(r, output, c, free, m);
			} else {
				allocate_vcs_round_robin(r, output, c, free, m);
			}
		}
	}
}

inline void network::grant_vc(router_state &r, const vc_grant &g, bool move_pointers, matching &m)
{
	m.grants[m.count++] = g;
	if (!move_pointers)
		return;
	const unsigned input_vcs = unsigned(r.ports) << vc_bits_;
	outputs_[vc_of(r.first + g.port, g.vc)].grant = uint8_t(next_of(g.input, input_vcs));
	input_vc &in = inputs_[vc_of(r.first, g.input)];
	in.accept_port = g.port;
	in.accept_vc = uint8_t(next_of(g.vc, p_.vcs));
}

// Each free VC offers itself to one that waits, in turn; each accepts one offer, in turn.
void network::allocate_vcs_islip(router_state &r, unsigned output, unsigned vc_class, uint32_t free, matching &m)
{
	vc_set waiting = waiting_[(r.first + output) * classes_ + vc_class];
	const input_vc *const inputs = &inputs_[vc_of(r.first, 0)];
	for (unsigned i = 0; i < p_.iterations && free != 0 && !waiting.empty(); i++) {
		uint16_t offers[128];
		vc_set offered;
		for (uint32_t set = free; set != 0; set &= set - 1) {
			const unsigned vc = unsigned(std::countr_zero(set));
			const unsigned input = waiting.from(outputs_[vc_of(r.first + output, vc)].grant);
			if (!(offered.word[input >> 6] >> (input & 63) & 1))
				offers[input] = 0;
			offered.add(input);
			offers[input] |= uint16_t(1u << vc);
		}
		waiting.without(offered);
		for (; !offered.empty();) {
			const unsigned input = offered.lowest();
			offered.remove(input);
			const unsigned vc = accept_from(offers[input], inputs[input], output);
			free &= ~(1u << vc);
			grant_vc(r, {uint16_t(input), uint8_t(output), uint8_t(vc), uint8_t(vc_class)}, i == 0, m);
		}
	}
}

// Each that waits asks for one free VC, in turn; each of these takes one, in turn.
void network::allocate_vcs_round_robin(router_state &r, unsigned output, unsigned vc_class, uint32_t free, matching &m)
{
	vc_set waiting = waiting_[(r.first + output) * classes_ + vc_class];
	const input_vc *const inputs = &inputs_[vc_of(r.first, 0)];
	for (unsigned i = 0; i < p_.iterations && free != 0 && !waiting.empty(); i++) {
		vc_set asks[16];
		uint32_t asked = 0;
		for (vc_set rest = waiting; !rest.empty();) {
			const unsigned input = rest.lowest();
			rest.remove(input);
			const unsigned vc = accept_from(free, inputs[input], output);
			asks[vc].add(input);
			asked |= 1u << vc;
		}
		free &= ~asked;
		for (; asked != 0; asked &= asked - 1) {
			const unsigned vc = unsigned(std::countr_zero(asked));
			const unsigned input = asks[vc].from(outputs_[vc_of(r.first + output, vc)].grant);
			waiting.remove(input);
			grant_vc(r, {uint16_t(input), uint8_t(output), uint8_t(vc), uint8_t(vc_class)}, true, m);
		}
	}
}

// Moves the pointers of an output and of the input that has it.
void network::pair_up(router_state &r, unsigned input, unsigned output)
{
	ports_[r.first + output].switch_grant = uint8_t(next_of(input, r.ports));
	ports_[r.first + input].switch_accept = uint8_t(next_of(output, r.ports));
}

// Returns the inputs that have an output.
unsigned network::match_islip(router_state &r, uint8_t *output_of)
{
	port *const ports = &ports_[r.first];
	unsigned matched = 0, outputs = r.requesting;
	for (unsigned i = 0; i < p_.iterations; i++) {
		uint16_t offers[16];
		unsigned offered = 0;
		for (unsigned set = outputs; set != 0; set &= set - 1) {
			const unsigned output = unsigned(std::countr_zero(set));
			const unsigned wanted = ports[output].wanted & ~matched;
			if (wanted == 0)
				continue;
			const unsigned input = pick(wanted, ports[output].switch_grant);
			if (!(offered >> input & 1))
				offers[input] = 0;
			offered |= 1u << input;
			offers[input] |= uint16_t(1u << output);
		}
		if (offered == 0)
			break;
		matched |= offered;
		for (; offered != 0; offered &= offered - 1) {
			const unsigned input = unsigned(std::countr_zero(offered));
			const unsigned output = pick(offers[input], ports[input].switch_accept);
			output_of[input] = uint8_t(output);
			outputs &= ~(1u << output);
			if (i > 0)
				continue;
			pair_up(r, input, output);
		}
	}
	return matched;
}

unsigned network::match_round_robin(router_state &r, uint8_t *output_of)
{
	port *const ports = &ports_[r.first];
	unsigned matched = 0, outputs = r.requesting;
	for (unsigned i = 0; i < p_.iterations; i++) {
		uint16_t asks[16] = {};
		unsigned asked = 0;
		for (unsigned input = 0; input < r.ports; input++) {
			const unsigned wants = ports[input].wants & outputs;
			if (wants == 0 || (matched >> input & 1))
				continue;
			const unsigned output = pick(wants, ports[input].switch_accept);
			asks[output] |= uint16_t(1u << input);
			asked |= 1u << output;
		}
		if (asked == 0)
			break;
		outputs &= ~asked;
		for (; asked != 0; asked &= asked - 1) {
			const unsigned output = unsigned(std::countr_zero(asked));
			const unsigned input = pick(asks[output], ports[output].switch_grant);
			output_of[input] = uint8_t(output);
			matched |= 1u << input;
			pair_up(r, input, output);
		}
	}
	return matched;
}

} // namespace noc
