// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The rules say which groups a launch may have on a device. The code makes no system call.
#pragma once

#include "dev/compute_device.h"

namespace het::rt
{

struct group_rules {
	size_t most;             // in work-items
	bool whole;              // all groups have the same size
	size_t required[3] = {}; // what the kernel requires; 0 allows any
};

// Returns whether the launch's groups are allowed, or those that the kernel requires where the launch leaves them to
// the library. If not, @why tells why.
bool allows(const group_rules &rules, const launch_shape &shape, fatbin::fault &why);

} // namespace het::rt
