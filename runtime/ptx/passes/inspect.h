// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pass inspect and the owner of its table agree on this: Documentation/het-ptx-inspect.rst.
#pragma once

#include <cstdint>

namespace het::ptx
{

// The variable het_inspect_table holds this. What a kernel would use of a range of addresses is marked in three
// matrices of bytes, with a row for each slice of the grid and a column for each page.
struct inspect_table {
	uint64_t base; // that of the range, a multiple of the page
	uint64_t size; // the range's, in bytes; with 0 blocks leave at once
	// The addresses of the matrices: pages that a slice reads, that it writes, and from which it has loaded what
	// other addresses, or branches, were made of.
	uint64_t reads, writes, sources;
	// The address of a u64 for each page: which of its bytes may be loaded, the first in the lower half, and the
	// one behind the last in the upper half. 0: all of the range may be.
	uint64_t bounds;
	uint64_t counts;    // the address of a u64 for each page: how many accesses it has had; 0: they are not counted
	uint64_t result;    // the address of an inspect_result
	uint32_t page;      // log2 of its bytes
	uint32_t stride;    // columns of a row
	uint32_t groups;    // so many blocks along the dimension share a row; 0: all do
	uint32_t dimension; // 0 to 2
	uint32_t steps;     // a thread goes so often around the loops of a function at most
	// Blocks run if the number that each has drawn, by its place in the grid, has none of these bits.
	uint32_t skipped;
};

// Where one of the two is not 0 the marks are not those of the program.
struct inspect_result {
	uint32_t cut;    // a thread went around loops too often
	uint32_t missed; // a thread would have loaded what may not be loaded
};

} // namespace het::ptx
