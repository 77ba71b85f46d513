// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/inspect_check.h"

#include "ptx/passes/calls.h"
#include "ptx/passes/origins.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

template <size_t n> bool is_among(std::string_view word, const std::string_view (&all)[n])
{
	return std::find(std::begin(all), std::end(all), word) != std::end(all);
}

bool may_be(const mnemonic &op, space s)
{
	return op.state_space() == s || op.state_space() == space::none;
}

} // namespace

std::optional<fault> never_inspected(const module &m, const function &f, const statement &s)
{
	const auto &i = m.instructions[s.index];
	auto callee = callee_of(m, i);
	if (auto x = matrix_access_of(m, i); x && x->may_be_global())
		return m.fault_at(s.text, "uses a matrix in global memory");
	if (!matrix_access_of(m, i) && (writes_unseen(m, i) || reads_unseen(m, i)))
		return m.fault_at(s.text, "uses memory in a way that is not followed");
	if (calls_unseen(m, i))
		return m.fault_at(s.text, "calls a function that is not in this text");
	if (callee.starts_with('%'))
		return m.fault_at(s.text, "calls a function whose address it has");
	if (m.str(i.opcode).find(".shared::cluster") != std::string_view::npos)
		return m.fault_at(s.text, "uses memory of other blocks of its cluster");
	for (uint32_t v = f.first_parameter; v < f.first_parameter + f.parameters; v++)
		if (!f.is_entry && m.variables[v].space != space::param)
			return m.fault_at(m.variables[v].name, "is a parameter in a register");
	return std::nullopt;
}

std::optional<fault> unfit_source(const module &m, const function &f, const statement &s, bool of_array)
{
	const auto &i = m.instructions[s.index];
	const mnemonic op(m.str(i.opcode));
	auto why = [&](const char *what) {
		return m.fault_at(s.text, std::string(what) + ", on which addresses or branches depend");
	};
	auto a = access_of(m, i);
	if (a.may_be_global() && a.reads && op.base() != "cp" && is_of_several_threads(op))
		return why("reads what threads may write meanwhile");
	if (a.may_be_global() && a.reads && !of_array)
		return why("reads a variable of the module");
	if (op.base() == "call" && !m.find_function(callee_of(m, i)))
		return why("calls a function for a value");
	if (op.base() == "ld" && op.state_space() == space::param && !f.is_entry && !names_variable(m, s, *a.address))
		return why("reads a parameter by its address");
	return std::nullopt;
}

std::optional<fault> unfit_for_shared(const module &m, const statement &s)
{
	const auto &i = m.instructions[s.index];
	const mnemonic op(m.str(i.opcode));
	const bool is_barrier = (op.base() == "bar" || op.base() == "barrier") && !op.has("warp");
	const bool has_count =
		op.has("arrive") || (!op.has("red") && i.operands > 1) || (op.has("red") && i.operands > 3);
	// Threads that have ended are not waited for, but are not counted either.
	if (is_barrier && has_count)
		return m.fault_at(s.text, "waits for a number of threads, some of which may have been cut off");
	if (op.base() == "mbarrier" || op.has("bulk") || op.has("mbarrier"))
		return m.fault_at(s.text, "waits for shared memory in a way that is not followed");
	return std::nullopt;
}

bool fills_shared(const module &m, const instruction &i)
{
	const mnemonic op(m.str(i.opcode));
	constexpr std::string_view orders[] = {"bar", "barrier", "membar", "fence", "mbarrier", "stmatrix"};
	constexpr std::string_view writes[] = {"st", "atom", "red"};
	if (op.base() == "wmma")
		return op.has("store") && may_be(op, space::shared);
	if (op.base() == "cp")
		return op.has("async");
	return is_among(op.base(), orders) || (is_among(op.base(), writes) && may_be(op, space::shared));
}

bool fills_local(const module &m, const instruction &i)
{
	const mnemonic op(m.str(i.opcode));
	return op.base() == "st" && may_be(op, space::local);
}

} // namespace het::ptx
