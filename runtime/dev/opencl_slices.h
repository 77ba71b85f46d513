// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes slices of a launch on OpenCL devices.
//
// A driver that is given a part of the work-items answers for that part: get_group_id() begins at 0, get_num_groups()
// is smaller. (The global offset changes get_global_id() alone.) So kernels for slices are compiled with functions of
// our own in the place of the work-item functions, which stand before the program's text. In that text their names are
// replaced, so that a program which has macros of these names still calls ours in them. Where names come about
// otherwise (pasted, or in an included file), they are macros that lead to ours, and what stands behind the program's
// text does not compile if they no longer do.
//
// What the functions have to know of the launch comes where called functions can see it too: slices are launched in
// three dimensions, and the offsets of the two dimensions in which nothing is cut, of no use there, carry the launch's
// size and offset in the one that is. What is the same in all slices, the dimensions and the offsets in the others, is
// compiled in.
#pragma once

#include "dev/compute_device.h"

namespace het::rt
{

struct slice_text {
	text bytes;
	size_t size;
};

// Makes what is to be compiled instead of the program. Returns 0, HET_ENOMEM, or HET_ENODEV if it has no slices, with
// the reason in @why.
int make_slice_text(const slicing &how, fatbin::bytes program, const char *options, slice_text &made, const char **why);

// The driver gets this for a slice.
struct native_slice {
	size_t offset[3], global[3], local[3];
};
native_slice place_slice(const launch_shape &shape);

} // namespace het::rt
