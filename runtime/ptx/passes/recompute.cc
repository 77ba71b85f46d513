// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A register that one statement alone writes, out of such registers, holds the same value for as long as it holds any.
#include "ptx/passes/recompute.h"

#include "ptx/lexer.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

bool computes(const mnemonic &op)
{
	constexpr std::string_view all[] = {"mov", "add", "sub",  "mul",   "mad",  "mul24", "mad24", "shl",  "shr",
					    "and", "or",  "xor",  "not",   "neg",  "cvt",   "cvta",  "min",  "max",
					    "abs", "div", "rem",  "setp",  "selp", "bfe",   "bfi",   "prmt", "lop3",
					    "fma", "clz", "popc", "bfind", "brev", "cnot",  "shf"};
	return !op.has("cc") && std::find(std::begin(all), std::end(all), op.base()) != std::end(all);
}

// These are the same whenever and wherever a thread goes on.
bool stays(std::string_view special)
{
	constexpr std::string_view begins[] = {"%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%lanemask_"};
	return std::any_of(std::begin(begins), std::end(begins), [&](auto b) { return special.starts_with(b); });
}

} // namespace

recomputation::recomputation(const module &m, const function &f, const function_registers &registers)
    : m_(m), registers_(registers), at_(registers.count(), no_index)
{
	std::vector<unsigned> writers(registers.count());
	for (uint32_t n = 0; n < f.statements; n++)
		for (uint32_t r : registers.uses_of(n).writes)
			writers[r]++;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t n = 0; n < f.statements; n++) {
			const register_uses &u = registers.uses_of(n);
			auto ready = [&](uint32_t r) { return at_[r] != no_index; };
			auto alone = [&](uint32_t r) { return writers[r] == 1; };
			if (u.writes.empty() || std::all_of(u.writes.begin(), u.writes.end(), ready) || u.partly ||
			    !std::all_of(u.writes.begin(), u.writes.end(), alone) ||
			    !std::all_of(u.reads.begin(), u.reads.end(), ready) || !is_pure(m.statements_of(f)[n], f))
				continue;
			for (uint32_t r : u.writes)
				at_[r] = n;
			changed = true;
		}
	}
}

// Loads from the kernel's own parameters count, not those of what a call gave.
bool recomputation::is_pure(const statement &s, const function &f) const
{
	const instruction &i = m_.instructions[s.index];
	mnemonic op(m_.str(i.opcode));
	if (s.block != m_.statements_of(f).front().block)
		return false;
	return op.base() == "ld" ? loads_own_parameter(m_, f, i) : computes(op) && names_constants(s);
}

bool recomputation::names_constants(const statement &s) const
{
	lexer words(std::string_view(m_.text).substr(0, s.text.end), m_.instructions[s.index].opcode.end);
	for (token t = words.next(); t.kind != token_kind::end; t = words.next()) {
		auto name = m_.str(t.text);
		if (t.kind == token_kind::name && name.starts_with('%') && registers_.find(s, name) == no_index &&
		    !stays(name))
			return false;
	}
	return true;
}

void recomputation::add(uint32_t r, std::vector<bool> *wanted) const
{
	uint32_t n = at_[r];
	if (n == no_index || (*wanted)[n])
		return;
	(*wanted)[n] = true;
	for (uint32_t from : registers_.uses_of(n).reads)
		add(from, wanted);
}

// Each register is written before it is read, as the one that reads it became known later.
std::vector<uint32_t> recomputation::of(const std::vector<uint32_t> &registers) const
{
	std::vector<bool> wanted, done;
	uint32_t last = 0;
	for (uint32_t n : at_)
		last = n == no_index ? last : std::max(last, n + 1);
	wanted.resize(last);
	done.resize(last);
	for (uint32_t r : registers)
		add(r, &wanted);
	std::vector<uint32_t> order;
	auto place = [&](auto &self, uint32_t n) -> void {
		if (done[n])
			return;
		done[n] = true;
		for (uint32_t r : registers_.uses_of(n).reads)
			self(self, at_[r]);
		order.push_back(n);
	};
	for (uint32_t n = 0; n < last; n++)
		if (wanted[n])
			place(place, n);
	return order;
}

} // namespace het::ptx
