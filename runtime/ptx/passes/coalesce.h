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
	uint32_t threshold; // a block is sampled if its key is not above
	uint32_t seed;      // added to keys: launches with other seeds sample other blocks
	uint64_t counters;  // address of coalesce_counters in global memory, sites of them for each copy; 0: none are
	uint32_t copies;    // of the counters, less one; their number is a power of two. Processors spread over them
	uint32_t sites;
	uint32_t rate; // a warp of a sampled block is counted at a part of the kernel if what it draws is not above
	uint32_t reserved;
};

// The threshold that samples one of @n blocks, and the rate that counts one of @n times.
constexpr uint32_t coalesce_threshold(uint32_t n)
{
	return uint32_t((uint64_t{1} << 32) / n - 1);
}

// @block: its number in the grid. Multiples of this factor are spread evenly: of any consecutive blocks about the same
// part is sampled.
constexpr uint32_t coalesce_key(uint32_t block, uint32_t seed)
{
	return block * 0x9e3779b1u + seed;
}

// How to count one access of @n in a grid.
struct coalesce_sample {
	uint32_t threshold, rate;
};

// A block that counts is slower than others. In a grid of many blocks one of @n counts all that it does, and the others
// make up for it. Where all blocks run at the same time the slowest one is what the grid takes: so that all count now
// and then. Between those, one block of each thousand: as many as processors have at a time.
constexpr coalesce_sample coalesce_sampled(uint32_t n, uint64_t blocks)
{
	uint64_t one_block_of = 1;
	while (one_block_of * 2 <= n && one_block_of * 2 * 1024 <= blocks)
		one_block_of *= 2;
	uint64_t rate = ((uint64_t{1} << 32) * one_block_of + n / 2) / n;
	return {coalesce_threshold(uint32_t(one_block_of)), uint32_t(rate ? rate - 1 : 0)};
}

} // namespace het::ptx
