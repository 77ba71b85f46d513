// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs the work-groups of one kernel function on the calling thread and on helpers, one a further core.
#pragma once

#include "dev/compute_device.h"

namespace het::rt
{

struct group_job {
	het_kernel_fn run;
	const launch_shape *shape;
	std::span<const device_arg> args;
	interlude *between = nullptr; // is run on the calling thread, between its groups
};

// Returns when all groups have run: 0 or HET_ENOMEM.
int run_groups(const group_job &job);

} // namespace het::rt
