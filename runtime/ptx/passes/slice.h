// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the pass slice and who launches its kernels agree on: Documentation/het-ptx-slice.rst.
#pragma once

#include <cstdint>

namespace het::ptx
{

// In global memory; the last parameter of an instrumented kernel is its address, or 0 for a plain launch. Blocks are
// numbered x + grid[0] * (y + grid[1] * z).
struct slice_control {
	uint32_t grid[3];    // of the whole: what %nctaid shows
	uint32_t stop;       // not 0: blocks that have not begun leave
	uint64_t first;      // block n of the launch is number first + n, or
	uint64_t list;       // if this is not 0, number n of the u64 at this address
	uint64_t left;       // where u64 numbers of blocks that left go, in no order: room for all of the launch
	uint64_t count_left; // how many
};

} // namespace het::ptx
