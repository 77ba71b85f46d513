// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/liveness.h"

namespace het::ptx
{

liveness::liveness(const control_flow &flow, const function_registers &registers)
    : flow_(flow), registers_(registers), at_begin_(flow.blocks().size(), set(registers.count()))
{
	for (bool changed = true; changed;) {
		changed = false;
		for (auto b = uint32_t(flow.blocks().size()); b-- > 0;) {
			set live = at_end_of(b);
			for (uint32_t n = flow.blocks()[b].end; n-- > flow.blocks()[b].first;)
				step_back(n, &live);
			changed = changed || live != at_begin_[b];
			at_begin_[b] = std::move(live);
		}
	}
}

// What is written wholly does not live before; what may stay in part does.
void liveness::step_back(uint32_t statement, set *live) const
{
	const register_uses &u = registers_.uses_of(statement);
	for (uint32_t r : u.writes)
		if (!u.partly)
			(*live)[r] = false;
	for (uint32_t r : u.reads)
		(*live)[r] = true;
}

liveness::set liveness::at_end_of(uint32_t block) const
{
	set live(registers_.count());
	for (uint32_t next : flow_.blocks()[block].next)
		for (uint32_t r = 0; r < live.size(); r++)
			live[r] = live[r] || at_begin_[next][r];
	return live;
}

std::vector<uint32_t> liveness::before(uint32_t statement) const
{
	uint32_t block = flow_.block_of(statement);
	set live = at_end_of(block);
	for (uint32_t n = flow_.blocks()[block].end; n-- > statement;)
		step_back(n, &live);
	std::vector<uint32_t> all;
	for (uint32_t r = 0; r < live.size(); r++)
		if (live[r])
			all.push_back(r);
	return all;
}

} // namespace het::ptx
