// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/ageing.h"

#include <bit>

namespace het::rt
{

unsigned ageing::look(uint32_t waiting, uint64_t now)
{
	for (uint32_t fresh = waiting & ~known_; fresh; fresh &= fresh - 1)
		since_[std::countr_zero(fresh)] = now;
	known_ = waiting;
	unsigned best = level_count;
	uint64_t most = 0;
	for (uint32_t rest = waiting; rest;) {
		unsigned i = unsigned(std::bit_width(rest)) - 1;
		rest &= ~(uint32_t{1} << i);
		uint64_t waited = now > since_[i] ? now - since_[i] : 0;
		uint64_t counts = uint64_t{i} * step_ns_ + waited;
		if (best == level_count || counts > most) {
			best = i;
			most = counts;
		}
	}
	return best;
}

unsigned ageing::choose(uint32_t waiting, uint64_t now)
{
	unsigned best = look(waiting, now);
	since_[best] = now;
	return best;
}

} // namespace het::rt
