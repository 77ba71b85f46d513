// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Slices of a launch on OpenCL devices.
//
// A driver that is given a part of the work-items answers for that part: get_group_id() begins at 0, get_num_groups() is smaller.
// (The global offset changes get_global_id() alone.) So kernels for slices are compiled with a text before the program's,
// which puts functions of its own in the place of the work-item functions. What they have to know of the launch comes
// where called functions can see it too: slices are launched in three dimensions, and the offsets of the two dimensions in
// which nothing is cut, of no use there, carry the launch's size and offset in the one that is. What is the same in all
// slices, the dimensions and the offsets in the others, is compiled in.
#pragma once

#include "dev/compute_device.h"

namespace het::rt
{

// The text before the program's. Null: no memory.
text make_slice_prelude(const slicing &how);

// What the driver is given for a slice.
struct native_slice {
	size_t offset[3], global[3], local[3];
};
native_slice place_slice(const launch_shape &shape);

} // namespace het::rt
