// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells where branches go.
#pragma once

#include "ptx/module.h"

#include <vector>

namespace het::ptx
{

// Returns the labels in the function's .branchtargets lists: brx.idx may go to any of them.
std::vector<span> indexed_targets(const module &m, const function &f);

// Returns whether threads may go elsewhere at the instruction: what belongs to the lines before it comes before it.
bool ends_straight_line(const module &m, const instruction &i);

} // namespace het::ptx
