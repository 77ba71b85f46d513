// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells which bytes of an argument the work-items of one launch use, from what the compiler's analysis knows of all
// launches. No system call is made.
#pragma once

#include "fatbin/container.h"

namespace het::fatbin
{

// Describes the shape of a launch. Dimensions that it does not have are of size 1, with offset 0.
struct launch_ids {
	uint64_t size[3], offset[3];
	unsigned along; // the dimension across which it is to be cut
};

// Pieces are as in struct het_pattern: the work-item number i from 0 along that dimension uses @length bytes from
// @offset + i * @step on, @count times, each @stride bytes further.
struct pieces {
	int64_t offset;
	uint64_t step, length, count, stride;
};

// Returns whether what the analysis found holds for such launches: ids fit into 31 bits, and sizes beyond @dimensions
// are 1.
bool holds_for(const launch_ids &launch, uint32_t dimensions);

// Finds the argument that is the multiplier of an axis, whose value find_pieces() is to be given. Returns false if
// there is none.
bool multiplier_of(const axis_row &a, uint32_t *argument);

// Returns false if the pieces are not known for such a launch, or @a is written and two of the launch's work-items may
// use the same byte of it. @nbytes is the argument's size; @multipliers are values of the arguments that multiply the
// axes (those of 4 bytes as an int), else anything.
bool find_pieces(const argument &a, uint32_t dimensions, const launch_ids &launch, uint64_t nbytes,
		 const int64_t (&multipliers)[most_axes], pieces &made);

} // namespace het::fatbin
