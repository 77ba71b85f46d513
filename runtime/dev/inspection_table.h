// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells a kernel that finds out what a launch in place would use where its marks are (core/granule_marks.h).
#pragma once

#include <cstdint>

namespace het::rt
{

struct inspection_table {
	uint64_t base, size; // the addresses that the kernel has
	// On the device there are three bytes for each granule: it is read, it is written, and addresses were made of
	// what was loaded from it. Then two u64: which of its bytes may be loaded, and a counter of accesses.
	uint64_t reads, writes, sources, bounds, counts;
	uint64_t result; // two u32: it was cut off, it would have loaded something else
	uint32_t bits;   // the binary logarithm of a granule's bytes
	uint32_t granules;
	uint32_t groups = 0, dimension = 0; // all blocks mark the same
	uint32_t steps;                     // around a loop, at most
	// Only those blocks run whose drawn number has none of these bits: one of so many and one more.
	uint32_t skipped;
};

} // namespace het::rt
