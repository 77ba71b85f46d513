// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pass coalesce and the owner of its counters agree on this: Documentation/het-ptx-coalesce.rst.
#pragma once

#include <cstdint>

namespace het::ptx
{

// Counts for one instruction, summed over the warps that were sampled.
struct coalesce_counters {
	uint64_t warps;   // counts how often a warp executed it, for at least one address in global memory
	uint64_t threads; // counts those that had such an address
	uint64_t lines;   // counts distinct ones of 128 bytes
	uint64_t pages;   // counts distinct ones of 64 KiB
};

// The variable het_coalesce_table holds this.
struct coalesce_table {
	uint32_t threshold; // A block is sampled if its key is not above this.
	uint32_t seed;      // added to keys: launches with other seeds sample other blocks
	// The address of coalesce_counters in global memory, of which each copy has one for each site; with 0 nothing
	// is counted.
	uint64_t counters;
	// The number of copies of the counters, a power of two, less one. Processors spread over them.
	uint32_t copies;
	uint32_t sites;
	// A warp of a sampled block is counted at a part of the kernel if what it draws is not above this.
	uint32_t rate;
	uint32_t reserved;
};

// Returns the threshold that samples one of @n blocks, and the rate that counts one of @n times.
constexpr uint32_t coalesce_threshold(uint32_t n)
{
	return uint32_t((uint64_t{1} << 32) / n - 1);
}

// @block is its number in the grid. Multiples of this factor are spread evenly: of any consecutive blocks about the
// same part is sampled.
constexpr uint32_t coalesce_key(uint32_t block, uint32_t seed)
{
	return block * 0x9e3779b1u + seed;
}

// Tells how to count one access of @n in a grid.
struct coalesce_sample {
	uint32_t threshold, rate;
};

// A block that counts is slower than others. In a grid of many blocks one of @n counts all that it does, and the others
// make up for it. Where all blocks run at the same time the grid takes as long as the slowest one, so all of them count
// now and then. Between those, a thousand blocks or two are sampled: as many as processors have at a time.
constexpr coalesce_sample coalesce_sampled(uint32_t n, uint64_t blocks)
{
	uint64_t one_block_of = 1;
	while (one_block_of * 2 <= n && one_block_of * 2 * 1024 <= blocks)
		one_block_of *= 2;
	uint64_t rate = ((uint64_t{1} << 32) * one_block_of + n / 2) / n;
	return {coalesce_threshold(uint32_t(one_block_of)), uint32_t(rate ? rate - 1 : 0)};
}

} // namespace het::ptx
