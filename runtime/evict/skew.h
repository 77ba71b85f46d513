// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches that use the same arrays row by row may run mixed: some rows of the first, then as many of the second, which
// lag behind those by so many rows that what they read has been written, and what they overwrite has been read; and so
// on, before the next rows of the first. So a stencil's steps pass over the arrays together, and each byte travels once
// for all of them.
//
// Row r of a launch whose shift is s is done with the group's row r + s, and within a slice of the group the launches
// follow each other in their order. Therefore a row that comes after one of an earlier launch must have a row of the
// group that is not before that one's.
#pragma once

#include "evict/slices.h"

namespace het::rt
{

// One of them.
struct mixed_launch {
	size_t nrows = 0;
	uint64_t shift = 0;
	std::span<const row_use> uses; // by its own rows
};

// Finds the smallest shift of a launch that comes after all these, which have theirs. It is false if it can't run mixed
// with them, as there is no telling by rows what both use.
bool find_shift(std::span<const mixed_launch> before, mixed_launch &l);

// Returns the rows of a launch that are done with these of the group.
row_span rows_of(const mixed_launch &l, row_span of_group);

// Returns the use with the group's rows as its own. It is false if that can't be said.
bool shift_use(const mixed_launch &l, size_t use, row_use &shifted);

} // namespace het::rt
