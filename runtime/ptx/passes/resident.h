// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pass resident and the owner of its table agree on this: Documentation/het-ptx-resident.rst.
#pragma once

#include <cstdint>

namespace het::ptx
{

// The variable het_resident_table holds this. The program has addresses of the host's own copies of arrays; what lies
// on the device as well, by granules, is used there.
struct resident_table {
	uint64_t base;    // that of the range of addresses, a multiple of the granule
	uint64_t size;    // the range's, in bytes; with 0 every access goes where the program says
	uint64_t moves;   // the address of a u64 for each granule: what is added to addresses in it, or 0
	uint64_t counts;  // the address of a u64 for each granule: how many accesses it had without being moved
	uint32_t granule; // log2 of its bytes
	uint32_t reserved = 0;
};

} // namespace het::ptx
