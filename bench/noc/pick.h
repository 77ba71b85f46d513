// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is a round-robin arbiter over a set of at most 32.
#pragma once

#include <bit>
#include <cstdint>

namespace noc
{

// Returns the first member of @set, which is not empty, at or after @start; else the first of all.
inline unsigned pick(uint32_t set, unsigned start)
{
	const uint32_t after = set >> start << start;
	return unsigned(std::countr_zero(after ? after : set));
}

} // namespace noc
