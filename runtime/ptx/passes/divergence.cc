// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/divergence.h"

#include "ptx/lexer.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

// Finds blocks from which threads end without ever coming to a loop or to a place where they wait for others: who goes
// there does not part from the rest of his warp, but leaves it.
std::vector<bool> ways_out(const control_flow &flow, const std::vector<bool> &joint)
{
	const auto count = uint32_t(flow.blocks().size());
	std::vector<std::vector<bool>> reached(count);
	for (uint32_t b = 0; b < count; b++)
		reached[b] = flow.reached_from(b);
	std::vector<bool> out(count);
	for (uint32_t b = 0; b < count; b++) {
		out[b] = !joint[b] && !reached[b][b];
		for (uint32_t x = 0; x < count; x++)
			out[b] = out[b] && !(reached[b][x] && (joint[x] || reached[x][x]));
	}
	return out;
}

// Each lane gets the same from such a register of its warp.
bool is_of_block(std::string_view special)
{
	constexpr std::string_view begins[] = {"%ntid",   "%ctaid",   "%nctaid",    "%smid",     "%nsmid",
					       "%warpid", "%nwarpid", "%dynamic_s", "%total_sm", "%gridid"};
	return std::any_of(std::begin(begins), std::end(begins), [&](auto b) { return special.starts_with(b); });
}

} // namespace

bool is_of_warps(const mnemonic &op)
{
	constexpr std::string_view all[] = {"shfl", "vote",     "match",    "redux",     "elect",     "mma",
					    "wmma", "ldmatrix", "stmatrix", "movmatrix", "activemask"};
	bool warp_barrier = op.base() == "bar" && op.has("warp");
	return warp_barrier || std::find(std::begin(all), std::end(all), op.base()) != std::end(all);
}

divergence::divergence(const module &m, const function &f, const control_flow &flow,
		       const function_registers &registers, const std::vector<bool> &joint)
    : m_(m), f_(f), flow_(flow), registers_(registers), deciders_(flow.deciders(ways_out(flow, joint))),
      parts_(flow.blocks().size()), differs_(registers.count())
{
	while (step())
		;
}

// Parameters and constants are the same for all, votes give the same to all; what memory holds may be anything.
bool divergence::is_same_by_itself(const statement &s) const
{
	const instruction &i = m_.instructions[s.index];
	mnemonic op(m_.str(i.opcode));
	auto base = op.base();
	if (base == "ld")
		return loads_own_parameter(m_, f_, i);
	constexpr std::string_view different[] = {"atom", "call", "shfl", "match",    "activemask", "elect", "ldu",
						  "tex",  "suld", "tld4", "ldmatrix", "wmma",       "mma",   "alloca"};
	return std::find(std::begin(different), std::end(different), base) == std::end(different);
}

bool divergence::makes_different(const statement &s, uint32_t n) const
{
	const instruction &i = m_.instructions[s.index];
	mnemonic op(m_.str(i.opcode));
	if (parts_[flow_.block_of(n)])
		return true;
	if (op.base() == "vote" || op.base() == "redux" || op.base() == "bar" || op.base() == "barrier")
		return !i.guard.empty();
	if (!is_same_by_itself(s))
		return true;
	const register_uses &u = registers_.uses_of(n);
	if (std::any_of(u.reads.begin(), u.reads.end(), [&](uint32_t r) { return differs_[r]; }))
		return true;
	lexer words(std::string_view(m_.text).substr(0, s.text.end), i.opcode.end);
	for (token t = words.next(); t.kind != token_kind::end; t = words.next()) {
		auto name = m_.str(t.text);
		if (t.kind == token_kind::name && name.starts_with('%') && registers_.find(s, name) == no_index &&
		    !is_of_block(name))
			return true;
	}
	return false;
}

// Goes once through the body. Returns whether something became known.
bool divergence::step()
{
	bool changed = false;
	for (uint32_t n = 0; n < f_.statements; n++) {
		const statement &s = m_.statements_of(f_)[n];
		const register_uses &u = registers_.uses_of(n);
		if (u.writes.empty() || !makes_different(s, n))
			continue;
		for (uint32_t r : u.writes) {
			changed = changed || !differs_[r];
			differs_[r] = true;
		}
	}
	for (uint32_t b = 0; b < parts_.size(); b++) {
		auto parts = [&](uint32_t decider) {
			const register_uses &u = registers_.uses_of(flow_.blocks()[decider].end - 1);
			return parts_[decider] ||
			       std::any_of(u.reads.begin(), u.reads.end(), [&](uint32_t r) { return differs_[r]; });
		};
		if (parts_[b] || std::none_of(deciders_[b].begin(), deciders_[b].end(), parts))
			continue;
		parts_[b] = changed = true;
	}
	return changed;
}

} // namespace het::ptx
