// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The groups of a launch that is to be cut into rows of them.
#pragma once

#include "dev/compute_device.h"
#include "policy/division.h"

namespace het::rt
{

// Chooses a size within @limits where the program leaves it to the library.
void choose_local(launch_shape &s, const group_limits &limits);

// Returns it as policies know it.
work_grid grid_of(const launch_shape &s);

} // namespace het::rt
