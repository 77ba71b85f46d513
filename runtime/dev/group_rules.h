// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which groups a launch may have on a device. Pure.
#pragma once

#include "dev/compute_device.h"

namespace het::rt
{

struct group_rules {
	size_t most;             // work-items
	bool whole;              // all groups have the same size
	size_t required[3] = {}; // by the kernel; 0: any
};

// The launch's groups, or where it leaves them to the library those that the kernel requires. False: see @why.
bool allows(const group_rules &rules, const launch_shape &shape, fatbin::fault &why);

} // namespace het::rt
