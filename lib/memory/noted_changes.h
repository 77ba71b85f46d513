// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// When an array's chunks may have been written last; memory/changes.h tells what for. Whoever changes a chunk's bytes,
// or lets the host do so, or takes that away, notes it here.
#pragma once

#include "memory/array.h"

namespace het
{

struct array_changes {
	// A kernel that wrote the whole array has ended without a lock.
	std::atomic<uint32_t> whole;
	// The array's lock guards them.
	uint32_t chunks[];
};

// This is the number of the next moment.
extern std::atomic<uint32_t> next_moment;

// The caller holds the array's lock.
inline void note_change(array &a, layout::span s)
{
	array_changes *n = a.changes.load(std::memory_order_relaxed);
	for (uint32_t c = s.first; n && c < s.last; c++)
		n->chunks[c] = next_moment.load(std::memory_order_relaxed);
}
inline void note_change(array &a, uint32_t c)
{
	note_change(a, {c, c + 1});
}

// A writer of the whole array ends on the fast path, without a lock: its bracket is still open, so the array is there.
inline void note_whole_change(array &a)
{
	if (array_changes *n = a.changes.load(std::memory_order_acquire))
		n->whole.store(next_moment.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

// They do for one array what memory/changes.h says. The caller holds its lock.
void watch_changes(array &a, uint32_t moment);
uintptr_t unchanged_until(array &a, range r, uint32_t moment);
// The array is discarded.
void forget_changes(array &a);

} // namespace het
