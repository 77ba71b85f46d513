// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Leaves out kernels that can't be inspected.
#pragma once

#include "ptx/passes/inspect_slice.h"
#include "ptx/passes/pass.h"

namespace het::ptx
{

// Finds the slice of all kernels that can be inspected, and returns the others.
std::vector<pass_left> find_inspected(const module &m, inspect_slice *slice);

} // namespace het::ptx
