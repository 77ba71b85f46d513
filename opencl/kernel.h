// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "memory.h"
#include "program.h"

#include <het.h>

namespace hetcl
{

using runtime_kernel = owner<het_kernel, het_kernel_release>;

// What is known of an argument; the space is 0 where the driver has not told.
struct parameter {
	het_argument_info info = {};
};

// The groups that all members of a device can have.
struct group_limits {
	cl_device_id device;
	size_t most = 0;
	size_t required[3] = {}; // 0 where any will do
};

// What an argument is set to.
struct kernel_argument {
	enum { unset, value, local, memory, picture, sampler, host_pointer } is = unset;
	std::vector<char> bytes; // of a value
	size_t nbytes = 0;       // of local memory, and behind a host pointer
	cl_mem buffer = nullptr; // null for a null pointer; of a picture, the image
	cl_sampler sampled = nullptr;
	void *pointer = nullptr;
};

} // namespace hetcl

struct _cl_kernel : hetcl::object<hetcl::kind::kernel> {
	~_cl_kernel();

	hetcl::held<_cl_program> program;
	std::string name;
	std::vector<hetcl::parameter> parameters;
	std::vector<hetcl::kernel_argument> arguments;

	// A program that was built by several calls has a kernel in each.
	struct made {
		hetcl::runtime_program of;
		hetcl::runtime_kernel kernel;
	};
	std::vector<made> kernels;
	// Each launch is compared with these.
	std::vector<hetcl::group_limits> limits;

	// Returns the kernel for a device, or null if the program was not built for it.
	het_kernel *on(cl_device_id d) const;
	// Returns its limits there; it must be there.
	const hetcl::group_limits &limits_on(cl_device_id d) const;
};
