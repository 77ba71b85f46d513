// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the pass coalesce and the owner of its counters agree on: Documentation/het-ptx-coalesce.rst.
#pragma once

#include <cstdint>

namespace het::ptx
{

// Of one instruction, summed over the warps that were sampled.
struct coalesce_counters {
	uint64_t warps;   // how often a warp executed it, for at least one address in global memory
	uint64_t threads; // those that had such an address
	uint64_t lines;   // distinct ones of 128 bytes
	uint64_t pages;   // distinct ones of 64 KiB
};

// The variable het_coalesce_table.
struct coalesce_table {
	uint32_t threshold; // a warp is sampled if its key is not above
	uint32_t seed;      // added to keys: launches with other seeds sample other warps
	uint64_t counters;  // address of coalesce_counters in global memory, sites of them for each copy; 0: none are
	uint32_t copies;    // of the counters, less one; their number is a power of two. Processors spread over them
	uint32_t sites;
};

// The threshold that samples one of @n warps.
constexpr uint32_t coalesce_threshold(uint32_t n)
{
	return uint32_t((uint64_t{1} << 32) / n - 1);
}

// @warp: its number in the grid: number of the block * warps in a block + number in the block. Multiples of this
// factor are spread evenly: of any consecutive warps about the same part is sampled.
constexpr uint32_t coalesce_key(uint32_t warp, uint32_t seed)
{
	return warp * 0x9e3779b1u + seed;
}

} // namespace het::ptx
