// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pass resident and the owner of its table agree on this: Documentation/het-ptx-resident.rst.
#pragma once

#include <cstdint>

namespace het::ptx
{

// The variable het_resident_table holds this. Addresses of the program's are followed to where their granules are: to
// copies on the device, or to the host's own memory.
struct resident_table {
	uint64_t base;  // that of the range of addresses, a multiple of the granule
	uint64_t size;  // the range's, in bytes; with 0 every access goes where the program says
	uint64_t moves; // the address of a u64 for each granule: what is added to addresses in it, and resident_counted
	uint64_t counts;  // the address of a u64 for each granule: how many accesses it had, if they are counted
	uint32_t granule; // log2 of its bytes
	// Warps count their accesses if the number that each has drawn, by its place in the grid, has none of these
	// bits.
	uint32_t uncounted = 0;
};

// This bit of a move is not added: accesses to the granule are counted.
inline constexpr uint64_t resident_counted = 1;

} // namespace het::ptx
