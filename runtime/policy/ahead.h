// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// When memory is freed before somebody waits for it.
#pragma once

#include <cstdint>

namespace het::rt
{

struct memory_state {
	bool oversubscribed = false; // what is allocated is more than the memory
	bool regular = false;
	uint64_t free_bytes = 0;    // free now, or soon as it is on its way out
	uint64_t granule_bytes = 0; // of what leaves at once
};

// ETC's proactive eviction: irregular programs use again what would leave, so they do without.
constexpr bool evicts_ahead(const memory_state &m)
{
	return m.oversubscribed && m.regular && m.free_bytes < m.granule_bytes;
}

} // namespace het::rt
