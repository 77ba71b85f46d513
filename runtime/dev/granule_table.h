// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells a kernel that works on host memory in place where the granules of its arguments are (evict/granules.h).
#pragma once

#include <cstdint>

namespace het::rt
{

struct granule_table {
	uint64_t base, size; // the addresses that the kernel has
	// On the device there are two u64 for each granule: what is added to addresses in it, and a counter. Accesses
	// are counted if the lowest bit of the former is set, which is not added.
	uint64_t moves, counts;
	uint32_t bits; // the binary logarithm of a granule's bytes
	// Only those warps count whose drawn number has none of these bits: one of so many and one more.
	uint32_t uncounted = 0;

	static constexpr uint64_t counted = 1;
};

} // namespace het::rt
