// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which bytes of an argument the work-items of one launch use, from what the compiler's analysis knows of all launches.
// Pure.
#pragma once

#include "fatbin/container.h"

namespace het::fatbin
{

// The shape of a launch. Dimensions that it does not have are of size 1, with offset 0.
struct launch_ids {
	uint64_t size[3], offset[3];
	unsigned along; // it is to be cut across this dimension
};

// As struct het_pattern: the work-item number i from 0 along that dimension uses @length bytes from @offset + i * @step
// on, @count times, each @stride bytes further.
struct pieces {
	int64_t offset;
	uint64_t step, length, count, stride;
};

// What the analysis found holds for such launches: ids fit into 31 bits, and sizes beyond @dimensions are 1.
bool holds_for(const launch_ids &launch, uint32_t dimensions);

// The argument that is the multiplier of an axis, whose value find_pieces() is to be given. False: it is none.
bool multiplier_of(const axis_row &a, uint32_t *argument);

// False: not known for such a launch, or @a is written and two of the launch's work-items may use the same byte of it.
// @nbytes: of the argument; @multipliers: values of the arguments that multiply the axes (of 4 bytes: as an int), else
// anything.
bool find_pieces(const argument &a, uint32_t dimensions, const launch_ids &launch, uint64_t nbytes,
		 const int64_t (&multipliers)[most_axes], pieces &made);

} // namespace het::fatbin
