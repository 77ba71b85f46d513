// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Wraps OpenCL: handles release themselves, errors become exceptions, and all devices are in one list.
#pragma once

// clCreateCommandQueue() is deprecated, but devices of OpenCL 1.2 have no other.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <memory>
#include <string>
#include <vector>

namespace bench
{

// Throws a device_error with the call's name and the error's number unless @err is CL_SUCCESS.
void cl_check(cl_int err, const char *call);

template <typename T, auto release> struct cl_releaser {
	using pointer = T;
	void operator()(T handle) const { release(handle); }
};
template <typename T, auto release> using cl_owner = std::unique_ptr<T, cl_releaser<T, release>>;

using cl_context_owner = cl_owner<cl_context, &clReleaseContext>;
using cl_queue_owner = cl_owner<cl_command_queue, &clReleaseCommandQueue>;
using cl_program_owner = cl_owner<cl_program, &clReleaseProgram>;
using cl_kernel_owner = cl_owner<cl_kernel, &clReleaseKernel>;
using cl_event_owner = cl_owner<cl_event, &clReleaseEvent>;

struct cl_device_info_text {
	cl_device_id id;
	std::string name;
	std::string platform;
	std::string version; // those of the device's OpenCL and of its driver
	bool cpu;
};

// Returns all devices of all platforms, or none where there is no ICD.
std::vector<cl_device_info_text> list_cl_devices();

// Finds the first device whose name begins @text, as the runtime's names of devices do. Throws if there is none.
cl_device_id find_cl_device(const std::string &text);

// Builds a program; the exception carries the build log.
cl_program_owner build_cl_program(cl_context context, cl_device_id device, const std::string &source,
				  const char *options);

} // namespace bench
