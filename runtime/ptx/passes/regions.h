// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds SIMD regions: what runs between a call of __het_simd_enter and one of __het_simd_exit.
#pragma once

#include "ptx/module.h"

namespace het::ptx
{

constexpr std::string_view region_enter = "__het_simd_enter", region_exit = "__het_simd_exit";
constexpr std::string_view region_lane = "__het_simd_lane"; // the number of the lane in a region, 0 outside
// The variable is all ones in a region, and 0 outside. It is for the pass soft-stack, which leaves it to uniform-simt.
constexpr std::string_view region_mask = "__het_simd_mask";

// These variables in shared memory tell what has been done to a text: the masks of uniform-simt, one word a warp, and
// the stacks of soft-stack, two words a thread.
constexpr std::string_view simd_masks = "het_simd_masks", stack_slots = "het_stack_slots";

// Tells where a function is inside a region of its own. A function may also run inside a region of its caller's.
struct region_map {
	std::vector<bool> inside;   // tells for each statement of the body whether the place before it is
	std::optional<fault> wrong; // a region is not entered and left in one function, on all ways alike
};

region_map find_regions(const module &m, const function &f);

// Returns whether some function of the module enters one.
bool has_regions(const module &m);

} // namespace het::ptx
