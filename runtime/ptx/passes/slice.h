// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pass slice and those who launch its kernels agree on this: Documentation/het-ptx-slice.rst.
#pragma once

#include <cstdint>

namespace het::ptx
{

// This lies in global memory; the last parameter of an instrumented kernel is its address, or 0 for a plain launch.
// Blocks are numbered x + grid[0] * (y + grid[1] * z).
struct slice_control {
	uint32_t grid[3]; // that of the whole, which %nctaid shows
	uint32_t stop;    // tells blocks that have not begun to leave if it is not 0
	uint64_t first;   // Block n of the launch is number first + n, if list is 0.
	uint64_t list;    // If this is not 0, block n is number n of the u64 at this address.
	// The u64 numbers of blocks that left go to this address, in no order; there is room for all of the launch.
	uint64_t left;
	uint64_t count_left; // counts those that left
};

} // namespace het::ptx
