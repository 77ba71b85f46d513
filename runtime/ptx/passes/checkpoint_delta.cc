// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/checkpoint_delta.h"

#include "ptx/passes/access.h"
#include "ptx/passes/calls.h"

namespace het::ptx
{

bool changes_since::changes::add(const changes &more)
{
	bool changed = (more.shared && !shared) || (more.local && !local);
	shared = shared || more.shared;
	local = local || more.local;
	for (size_t r = 0; r < registers.size(); r++) {
		changed = changed || (more.registers[r] && !registers[r]);
		registers[r] = registers[r] || more.registers[r];
	}
	return changed;
}

changes_since::changes_since(const module &m, const function &f, const reach &calls, const control_flow &flow,
			     const function_registers &registers, uint32_t from)
    : m_(m), f_(f), calls_(calls), flow_(flow), registers_(registers), from_(from), at_begin_(flow.blocks().size())
{
	std::vector<uint32_t> todo;
	auto go_on = [&](uint32_t block, const changes &c) {
		for (uint32_t next : flow_.blocks()[block].next) {
			auto &there = at_begin_[next];
			bool changed = !there || there->add(c);
			if (!there)
				there = c;
			if (changed)
				todo.push_back(next);
		}
	};
	auto to_end = [&](uint32_t block, uint32_t first, changes c) {
		for (uint32_t n = first; n < flow_.blocks()[block].end; n++)
			step(n, &c);
		go_on(block, c);
	};
	to_end(flow.block_of(from), from, {std::vector<bool>(registers.count())});
	while (!todo.empty()) {
		uint32_t block = todo.back();
		todo.pop_back();
		to_end(block, flow.blocks()[block].first, *at_begin_[block]);
	}
}

std::optional<changes_since::changes> changes_since::at(uint32_t to) const
{
	const uint32_t block = flow_.block_of(to);
	std::optional<changes> all = at_begin_[block];
	if (all)
		for (uint32_t n = flow_.blocks()[block].first; n < to; n++)
			step(n, &*all);
	if (flow_.block_of(from_) == block && from_ < to) {
		changes straight = {std::vector<bool>(registers_.count())};
		for (uint32_t n = from_; n < to; n++)
			step(n, &straight);
		if (all)
			all->add(straight);
		else
			all = straight;
	}
	return all;
}

void changes_since::step(uint32_t n, changes *c) const
{
	const statement &s = m_.statements_of(f_)[n];
	if (s.kind != statement::kind_t::instruction)
		return;
	for (uint32_t r : registers_.uses_of(n).writes)
		c->registers[r] = true;
	step_memory(m_.instructions[s.index], c);
}

// An address without a space may be one of shared or of local memory. So may what an instruction writes of which that
// is not known; what waits for copies or orders them counts as one.
void changes_since::step_memory(const instruction &i, changes *c) const
{
	mnemonic op(m_.str(i.opcode));
	const auto base = op.base();
	if (base == "call")
		return step_call(i, c);
	const memory_access a = access_of(m_, i);
	const bool plain = base == "st" || base == "atom" || base == "red";
	const bool of_matrix = base == "stmatrix" || (base == "wmma" && op.has("store"));
	const bool in_background = op.has("async") || base == "cp" || base == "tensormap";
	if (!plain && !of_matrix && !in_background)
		return;
	const enum space where = a.address && !in_background ? a.space : op.state_space();
	const bool anywhere = in_background || where == space::none;
	c->shared = c->shared || anywhere || where == space::shared;
	c->local = c->local || anywhere || where == space::local;
}

// What is not here may write anything, but a register.
void changes_since::step_call(const instruction &i, changes *c) const
{
	const auto name = callee_of(m_, i);
	const function *callee = m_.find_function(name);
	if (!callee || !callee->has_body || name.starts_with('%')) {
		c->shared = c->local = true;
		return;
	}
	for (uint32_t f : calls_.from(uint32_t(callee - m_.functions.data()))) {
		for (const statement &s : m_.statements_of(m_.functions[f])) {
			if (s.kind != statement::kind_t::instruction)
				continue;
			const instruction &inner = m_.instructions[s.index];
			if (callee_of(m_, inner).empty())
				step_memory(inner, c);
			else if (auto *known = m_.find_function(callee_of(m_, inner)); !known || !known->has_body)
				c->shared = c->local = true;
		}
	}
}

} // namespace het::ptx
