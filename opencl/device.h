// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The platform's devices: each of the runtime's that compiles OpenCL C, and all of them as one.
#pragma once

#include "handle.h"

#include <het.h>
#include <span>
#include <string>
#include <vector>

struct _cl_device_id : hetcl::object<hetcl::kind::device> {
	// Commands run on these: one, or all.
	std::vector<het_device *> members;
	std::string name;
	cl_device_id parent = nullptr; // what this is a part of; it is counted then, and others are not

	// Each launch is compared with these.
	size_t most_items[3] = {};
	size_t group_size = 0;
	cl_ulong local_memory = 0;
	cl_ulong allocation = 0;
	size_t alignment = 1; // of a sub-buffer, in bytes
	bool has_partial_groups = false;
};

namespace hetcl
{

// Makes the device that these are.
cl_device_id make_device(std::vector<het_device *> members, bool is_joint);

// Starts the runtime. The first one is the default.
std::span<const cl_device_id> devices();

// Returns the runtime's device that is this process, or null.
het_device *host_device();

} // namespace hetcl
