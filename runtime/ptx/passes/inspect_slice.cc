// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/inspect_slice.h"

#include "ptx/passes/access.h"
#include "ptx/passes/calls.h"
#include "ptx/passes/inspect_check.h"
#include "ptx/passes/traces.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

bool ends_thread(const mnemonic &op)
{
	return op.base() == "ret" || op.base() == "exit";
}

// A branch that may go several ways.
bool is_choice(const instruction &i, const mnemonic &op)
{
	return op.base() == "brx" || (op.base() == "bra" && !i.guard.empty());
}

// A program that traps has failed, so it is taken that none does.
std::vector<bool> blocks_that_trap(const module &m, const function &f, const control_flow &flow)
{
	std::vector<bool> all;
	for (const basic_block &b : flow.blocks()) {
		const statement &s = m.statements_of(f)[b.end - 1];
		const bool is_instruction = s.kind == statement::kind_t::instruction;
		all.push_back(is_instruction && m.instructions[s.index].guard.empty() &&
			      mnemonic(m.str(m.instructions[s.index].opcode)).base() == "trap");
	}
	return all;
}

bool add_to(std::vector<bool> *all, uint32_t n)
{
	const bool changed = !(*all)[n];
	(*all)[n] = true;
	return changed;
}

} // namespace

inspect_slice::body::body(const module &m, const function &f)
    : registers(m, f), flow(m, f), deciders(flow.deciders(blocks_that_trap(m, f, flow))),
      meets(flow.nearest_common(blocks_that_trap(m, f, flow))), needed(registers.count()), kept(f.statements),
      decides(flow.blocks().size())
{
	// A label is seen within its braces alone, and where ways never meet there is no place to go to.
	auto scope_of = [&](uint32_t n) { return m.statements_of(f)[n].block; };
	for (uint32_t b = 0; b < decides.size(); b++) {
		uint32_t to = meets[b];
		decides[b] = to == no_index;
		if (decides[b] || to == decides.size())
			continue;
		uint32_t scope = scope_of(flow.blocks()[b].end - 1);
		while (scope && scope != scope_of(flow.blocks()[to].first))
			scope = m.block_parents[scope];
		decides[b] = !scope;
	}
}

inspect_slice::inspect_slice(const module &m) : m_(m), reach_(m), origins_(m), uses_(m.functions.size())
{
	for (uint32_t f = 0; f < m.functions.size(); f++)
		uses_[f] = uses_arrays_somewhere(f);
}

void inspect_slice::find(const std::vector<bool> &without)
{
	begin(without);
	for (bool changed = true; changed;) {
		changed = share_wants();
		for (uint32_t f = 0; f < bodies_.size(); f++)
			changed = (bodies_[f] && bodies_[f]->is_part && step(f)) || changed;
	}
}

bool inspect_slice::uses_arrays(const function &f, const statement &s) const
{
	const auto &i = m_.instructions[s.index];
	const auto a = access_of(m_, i);
	return a.may_be_global() && !names_variable(m_, s, *a.address) && !origins_.is_of_variables(f, *a.address) &&
	       !added_by_pass(m_, i);
}

bool inspect_slice::uses_arrays_somewhere(uint32_t function) const
{
	for (uint32_t f : reach_.from(function)) {
		const auto &fn = m_.functions[f];
		for (const statement &s : m_.statements_of(fn))
			if (s.kind == statement::kind_t::instruction &&
			    (uses_arrays(fn, s) || never_inspected(m_, fn, s)))
				return true;
	}
	return false;
}

void inspect_slice::begin(const std::vector<bool> &without)
{
	bodies_.clear();
	bodies_.resize(m_.functions.size());
	slots_.clear();
	for (uint32_t f = 0; f < bodies_.size(); f++) {
		const auto &fn = m_.functions[f];
		if (!fn.has_body || !fn.statements || added_by_pass(m_.str(fn.name)))
			continue;
		bodies_[f] = std::make_unique<body>(m_, fn);
		bodies_[f]->is_part = fn.is_entry && !without[f];
	}
}

bool inspect_slice::want_register(body *b, uint32_t r)
{
	return r != no_index && add_to(&b->needed, r);
}

// What leads to the block is needed as well.
bool inspect_slice::want_block(body *b, uint32_t block)
{
	bool changed = false;
	for (uint32_t decider : b->deciders[block])
		changed |= add_to(&b->decides, decider);
	return changed;
}

// Memory of a generic address may be any.
bool inspect_slice::want_memory(body *b, const instruction &i)
{
	const mnemonic op(m_.str(i.opcode));
	constexpr std::string_view reads[] = {"ld", "ldu", "atom", "ldmatrix", "wmma"};
	if (std::find(std::begin(reads), std::end(reads), op.base()) == std::end(reads))
		return false;
	const bool is_generic = op.state_space() == space::none;
	const bool local = is_generic || op.state_space() == space::local;
	const bool shared = is_generic || op.state_space() == space::shared;
	const bool changed = (local && !b->wants_local) || (shared && !b->wants_shared);
	b->wants_local |= local;
	b->wants_shared |= shared;
	return changed;
}

bool inspect_slice::is_wanted_call(uint32_t function, const instruction &i) const
{
	auto parts = parts_of_call(m_, i);
	const auto *callee = parts.callee ? m_.find_function(m_.str(parts.callee->name)) : nullptr;
	if (callee && callee->has_body && uses_[size_t(callee - m_.functions.data())])
		return true;
	for (uint32_t n = 0; parts.results && n < parts.results->children; n++)
		if (has_slot(function, m_.str(m_.child_of(*parts.results, n).name)))
			return true;
	return false;
}

bool inspect_slice::needs_results(const function &f, uint32_t statement) const
{
	const body &b = *body_of(f);
	const auto &writes = b.registers.uses_of(statement).writes;
	return std::any_of(writes.begin(), writes.end(), [&](uint32_t r) { return b.needed[r]; });
}

bool inspect_slice::is_wanted(uint32_t function, uint32_t statement) const
{
	const body &b = *bodies_[function];
	const instruction &i = m_.instructions[m_.statements_of(m_.functions[function])[statement].index];
	const mnemonic op(m_.str(i.opcode));
	if (needs_results(m_.functions[function], statement))
		return true;
	if (op.base() == "call")
		return is_wanted_call(function, i);
	if (is_choice(i, op))
		return b.decides[b.flow.block_of(statement)];
	if (ends_thread(op))
		return !i.guard.empty();
	if (op.base() == "st" && op.state_space() == space::param)
		return i.operands && has_slot(function, m_.str(m_.operand_of(i, 0).name));
	return (b.wants_shared && fills_shared(m_, i)) || (b.wants_local && fills_local(m_, i));
}

bool inspect_slice::follow_call(uint32_t function, const instruction &i)
{
	auto parts = parts_of_call(m_, i);
	const auto *callee = parts.callee ? m_.find_function(m_.str(parts.callee->name)) : nullptr;
	if (!callee || !callee->has_body)
		return false;
	const auto of = uint32_t(callee - m_.functions.data());
	bool changed = bodies_[of] && !bodies_[of]->is_part;
	if (bodies_[of])
		bodies_[of]->is_part = true;
	auto name_of = [&](uint32_t variable) { return m_.str(m_.variables[variable].name); };
	for (uint32_t n = 0; parts.results && n < std::min(parts.results->children, callee->results); n++)
		if (has_slot(function, m_.str(m_.child_of(*parts.results, n).name)))
			changed |= want_slot(of, name_of(callee->first_result + n));
	for (uint32_t n = 0; parts.arguments && n < std::min(parts.arguments->children, callee->parameters); n++)
		if (has_slot(of, name_of(callee->first_parameter + n)))
			changed |= want_slot(function, m_.str(m_.child_of(*parts.arguments, n).name));
	return changed;
}

// Kernels' own parameters are there anyway.
bool inspect_slice::follow_parameters(uint32_t function, uint32_t statement)
{
	const instruction &i = m_.instructions[m_.statements_of(m_.functions[function])[statement].index];
	const mnemonic op(m_.str(i.opcode));
	if (op.base() == "call")
		return follow_call(function, i);
	if (op.base() != "ld" || op.state_space() != space::param || i.operands < 2)
		return false;
	return want_slot(function, m_.str(m_.operand_of(i, 1).name));
}

bool inspect_slice::follow(uint32_t function, uint32_t statement)
{
	body &b = *bodies_[function];
	const auto &s = m_.statements_of(m_.functions[function])[statement];
	const instruction &i = m_.instructions[s.index];
	bool changed = false;
	if (is_wanted(function, statement)) {
		changed |= add_to(&b.kept, statement);
		for (uint32_t r : b.registers.uses_of(statement).reads)
			changed |= want_register(&b, r);
		changed |= want_block(&b, b.flow.block_of(statement));
		changed |= want_memory(&b, i);
		changed |= follow_parameters(function, statement);
	} else if (uses_arrays(m_.functions[function], s)) {
		changed |= want_block(&b, b.flow.block_of(statement));
		for (span name : {access_of(m_, i).address->name, i.guard})
			if (!name.empty())
				changed |= want_register(&b, b.registers.find(s, m_.str(name)));
	}
	return changed;
}

// Returns whether something became known.
bool inspect_slice::step(uint32_t function)
{
	const auto &f = m_.functions[function];
	bool changed = false;
	for (uint32_t n = f.statements; n-- > 0;)
		if (m_.statements_of(f)[n].kind == statement::kind_t::instruction)
			changed |= follow(function, n);
	return changed;
}

// All functions of a kernel see the same shared memory, and each other's local memory by its address.
bool inspect_slice::share_wants()
{
	bool changed = false;
	for (uint32_t kernel = 0; kernel < bodies_.size(); kernel++) {
		if (!bodies_[kernel] || !bodies_[kernel]->is_part)
			continue;
		bool shared = false, local = false;
		const auto all = reach_.from(kernel);
		for (uint32_t f : all) {
			shared |= bodies_[f] && bodies_[f]->wants_shared;
			local |= bodies_[f] && bodies_[f]->wants_local;
		}
		for (uint32_t f : all) {
			if (!bodies_[f])
				continue;
			changed |= bodies_[f]->wants_shared != shared || bodies_[f]->wants_local != local;
			bodies_[f]->wants_shared = shared;
			bodies_[f]->wants_local = local;
		}
	}
	return changed;
}

std::map<uint32_t, uint32_t> inspect_slice::jumps(const function &f) const
{
	const body &b = *body_of(f);
	std::map<uint32_t, uint32_t> all;
	for (uint32_t block = 0; block < b.decides.size(); block++) {
		const uint32_t n = b.flow.blocks()[block].end - 1;
		const statement &s = m_.statements_of(f)[n];
		if (s.kind != statement::kind_t::instruction || b.kept[n])
			continue;
		const instruction &i = m_.instructions[s.index];
		if (is_choice(i, mnemonic(m_.str(i.opcode))))
			all[n] = b.meets[block] < b.decides.size() ? b.flow.blocks()[b.meets[block]].first
								   : f.statements;
	}
	return all;
}

std::set<uint32_t> inspect_slice::loops(const function &f) const
{
	const auto &headers = body_of(f)->flow.loop_headers();
	std::set<uint32_t> all(headers.begin(), headers.end());
	for (auto [from, to] : jumps(f))
		if (to <= from)
			all.insert(to);
	return all;
}

} // namespace het::ptx
