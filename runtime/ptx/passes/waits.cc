// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/waits.h"

#include "ptx/passes/access.h"
#include "ptx/passes/branches.h"
#include "ptx/passes/calls.h"

#include <algorithm>
#include <set>

namespace het::ptx
{

namespace
{

// Returns the registers that are given one number and nothing else.
std::map<std::string_view, int64_t> constants_of(const module &m, const function &f)
{
	std::map<std::string_view, int64_t> found;
	std::set<std::string_view> others;
	for (const statement &s : m.statements_of(f)) {
		if (s.kind != statement::kind_t::instruction)
			continue;
		const instruction &i = m.instructions[s.index];
		if (!i.operands)
			continue;
		auto to = m.str(m.operand_of(i, 0));
		bool is_number = m.str(i.opcode).starts_with("mov.") && i.guard.empty() && i.operands == 2 &&
				 m.operand_of(i, 1).kind == operand::kind_t::integer;
		if (is_number && found.emplace(to, m.operand_of(i, 1).value).second)
			continue;
		others.insert(to);
	}
	for (auto name : others)
		found.erase(name);
	return found;
}

// Returns whether there is a fence: plain loads after it see what others have written before theirs.
bool has_fence(const module &m, std::span<const statement> all)
{
	return std::any_of(all.begin(), all.end(), [&](const statement &s) {
		if (s.kind != statement::kind_t::instruction)
			return false;
		mnemonic op(m.str(m.instructions[s.index].opcode));
		return (op.base() == "membar" || op.base() == "fence") && !op.has("cta") && !op.has("proxy");
	});
}

} // namespace

block_waits::block_waits(const module &m) : m_(m), readers_(m.functions.size()), found_(m.functions.size())
{
	for (const function &f : m.functions)
		constants_.push_back(constants_of(m, f));
	find_readers();
	for (const function &f : m.functions)
		find_in(f);
}

// Through a register it may be any function.
std::vector<uint32_t> block_waits::callees_of(const instruction &i) const
{
	if (mnemonic(m_.str(i.opcode)).base() != "call")
		return {};
	auto name = callee_of(m_, i);
	if (const function *f = m_.find_function(name))
		return {number(*f)};
	std::vector<uint32_t> all;
	for (uint32_t f = 0; f < m_.functions.size() && (name.empty() || name.starts_with('%')); f++)
		if (!m_.functions[f].is_entry)
			all.push_back(f);
	return all;
}

// Such an atomic is a way to read: it changes nothing, or leaves something for others to change.
bool block_waits::reads_atomically(const function &f, const instruction &i) const
{
	mnemonic op(m_.str(i.opcode));
	if (op.base() != "atom" || i.operands < 3)
		return false;
	if (op.has("cas") || op.has("exch"))
		return true;
	const operand &value = m_.operand_of(i, 2);
	const auto &constants = constants_[number(f)];
	auto known = constants.find(m_.str(value));
	bool is_number = value.kind == operand::kind_t::integer || known != constants.end();
	int64_t number = known != constants.end() ? known->second : value.value;
	return is_number && number == (op.has("and") ? -1 : 0);
}

bool block_waits::reads(const function &f, const statement &s, bool fenced) const
{
	if (s.kind != statement::kind_t::instruction)
		return false;
	const instruction &i = m_.instructions[s.index];
	for (uint32_t callee : callees_of(i))
		if (readers_[callee])
			return true;
	mnemonic op(m_.str(i.opcode));
	bool sees = op.has("volatile") || op.has("acquire") || op.has("relaxed") || op.has("mmio");
	bool loads = op.base() == "ld" && (sees || (fenced && !op.has("nc")));
	return access_of(m_, i).may_be_global() && (loads || reads_atomically(f, i));
}

void block_waits::find_readers()
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t n = 0; n < m_.functions.size(); n++) {
			auto body = m_.statements_of(m_.functions[n]);
			bool fenced = has_fence(m_, body);
			auto reads_there = [&](const statement &s) { return reads(m_.functions[n], s, fenced); };
			if (readers_[n] || std::none_of(body.begin(), body.end(), reads_there))
				continue;
			readers_[n] = changed = true;
		}
	}
}

// Looks at the statements from @first up to @last of the body. Inner loops come first; @said marks those of which
// something was said.
void block_waits::look_into(const function &f, uint32_t first, uint32_t last, std::vector<bool> *said)
{
	auto body = m_.statements_of(f);
	bool fenced = has_fence(m_, body.subspan(first, last - first));
	for (uint32_t n = first; n < last; n++) {
		if ((*said)[n] || !reads(f, body[n], fenced))
			continue;
		(*said)[n] = true;
		found_[number(f)].push_back(
			m_.fault_at(body[n].text, "a loop that does not end in slices if it waits for another block"));
	}
}

// A way around always has a branch back; what lies between the branch and where it goes is in the loop.
void block_waits::find_in(const function &f)
{
	std::map<std::string_view, uint32_t> labels;
	auto indexed = indexed_targets(m_, f);
	std::vector<bool> said(f.statements);
	for (uint32_t n = 0; n < f.statements; n++) {
		const statement &s = m_.statements_of(f)[n];
		if (s.kind == statement::kind_t::label)
			labels[m_.str(m_.labels[s.index])] = n;
		if (s.kind != statement::kind_t::instruction)
			continue;
		const instruction &i = m_.instructions[s.index];
		auto base = mnemonic(m_.str(i.opcode)).base();
		uint32_t back = n;
		auto goes_to = [&](std::string_view label) {
			if (auto at = labels.find(label); at != labels.end())
				back = std::min(back, at->second);
		};
		if (base == "bra" && i.operands)
			goes_to(m_.str(m_.operand_of(i, 0)));
		for (span label : indexed)
			if (base == "brx")
				goes_to(m_.str(label));
		look_into(f, back, n, &said);
	}
}

std::vector<fault> block_waits::reached_from(const function &f) const
{
	bits reached(m_.functions.size());
	std::vector<uint32_t> open = {number(f)};
	std::vector<fault> all;
	reached[open[0]] = true;
	while (!open.empty()) {
		uint32_t n = open.back();
		open.pop_back();
		all.insert(all.end(), found_[n].begin(), found_[n].end());
		for (const statement &s : m_.statements_of(m_.functions[n])) {
			if (s.kind != statement::kind_t::instruction)
				continue;
			for (uint32_t callee : callees_of(m_.instructions[s.index])) {
				if (!reached[callee])
					open.push_back(callee);
				reached[callee] = true;
			}
		}
	}
	return all;
}

} // namespace het::ptx
