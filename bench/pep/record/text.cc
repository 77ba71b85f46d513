// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/record/text.h"

#include <string_view>

namespace pep::record
{

using namespace het::ptx;

namespace
{

bool has(std::string_view opcode, std::string_view part)
{
	return opcode.find(part) != std::string_view::npos;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all)
{
	return std::find(all.begin(), all.end(), word) != all.end();
}

unit unit_of(std::string_view opcode)
{
	const std::string_view name = opcode.substr(0, opcode.find('.'));
	if (is_one_of(name, {"bar", "barrier"}))
		return unit::barrier;
	if (is_one_of(name, {"ld", "st", "atom", "red"}))
		return has(opcode, ".shared") || has(opcode, ".const") || has(opcode, ".param") ? unit::shared
												: unit::memory;
	if (is_one_of(name, {"div", "rem"}) || (is_one_of(name, {"rcp", "sqrt", "rsqrt"}) && !has(opcode, ".approx")))
		return unit::subroutine;
	if (is_one_of(name, {"rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh"}))
		return unit::special;
	// A conversion between 32 and 64 bits of integers is a move.
	if (name == "cvt")
		return has(opcode, ".f") ? unit::special : unit::arithmetic;
	if (has(opcode, ".f64"))
		return unit::wide;
	if (is_one_of(name, {"mul", "mad"}) && !has(opcode, ".f"))
		return unit::product;
	return unit::arithmetic;
}

bool is_branch(const module &m, const statement &s)
{
	const std::string_view opcode = m.str(m.instructions[s.index].opcode);
	return is_one_of(opcode.substr(0, opcode.find('.')), {"bra", "ret", "exit"});
}

} // namespace

std::vector<instruction> instructions_of(const module &m, const function &f, const allocation &a)
{
	std::vector<instruction> all(f.statements);
	const auto statements = m.statements_of(f);
	instruction *before = nullptr;
	for (uint32_t n = 0; n < f.statements; n++) {
		const statement &s = statements[n];
		if (s.kind != statement::kind_t::instruction)
			continue;
		if (is_branch(m, s)) {
			if (before)
				before->branches = true;
			continue;
		}
		const std::string_view opcode = m.str(m.instructions[s.index].opcode);
		instruction &i = all[n];
		before = &i;
		i.unit = unit_of(opcode);
		const bool is_atomic = opcode.starts_with("atom") || opcode.starts_with("red");
		i.loads = i.unit == unit::memory && (opcode.starts_with("ld") || is_atomic);
		i.stores = i.unit == unit::memory && (opcode.starts_with("st") || is_atomic);
		i.stores_shared = opcode.starts_with("st.shared") || (is_atomic && i.unit == unit::shared);
		i.reads = a.uses[n].reads;
		i.writes = a.uses[n].writes;
		for (const uint16_t w : i.writes)
			if (w < a.registers)
				i.changes.set(w);
	}
	return all;
}

} // namespace pep::record
