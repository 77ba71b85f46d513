// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells which functions of a module the pass slice changes.
#pragma once

#include "ptx/passes/pass.h"

namespace het::ptx
{

struct slice_plan {
	// True for a function that is such a kernel, or that such a kernel may call.
	std::vector<bool> sliced;
	std::vector<bool> whole; // tells of a kernel that stays as it is but calls functions that are changed
	std::vector<pass_left> left;
	std::optional<fault> refused; // there if none can be sliced
};

// The block's place takes @place_bytes of shared memory.
slice_plan plan_slices(const module &m, uint64_t place_bytes);

} // namespace het::ptx
