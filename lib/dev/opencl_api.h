// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Opens the OpenCL library at run time, with the entry points that the device `opencl` uses.
//
// They are the loader's own functions, never those of the same name that libhet exports (api/interpose_opencl.cc).
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
// Devices of OpenCL 1.2 have no queues but those of clCreateCommandQueue(), and programs still call clCreateImage2D/3D.
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

namespace het
{

inline constexpr char opencl_library[] = "libOpenCL.so.1";

struct opencl_api {
	decltype(&clGetPlatformInfo) get_platform_info;
	decltype(&clGetDeviceInfo) get_device_info;
	decltype(&clGetCommandQueueInfo) get_command_queue_info;
	decltype(&clCreateCommandQueue) create_command_queue;
	decltype(&clReleaseCommandQueue) release_command_queue;
	decltype(&clGetMemObjectInfo) get_mem_object_info;
	decltype(&clRetainMemObject) retain_mem_object;
	decltype(&clReleaseMemObject) release_mem_object;
	decltype(&clEnqueueReadBuffer) enqueue_read_buffer;
	decltype(&clEnqueueWriteBuffer) enqueue_write_buffer;
	decltype(&clEnqueueCopyBuffer) enqueue_copy_buffer;
	decltype(&clFlush) flush;
	decltype(&clGetEventInfo) get_event_info;
	decltype(&clRetainEvent) retain_event;
	decltype(&clReleaseEvent) release_event;
	decltype(&clWaitForEvents) wait_for_events;
};

// Opens the library, for the rest of the process, and fills the table. Returns GPUVM_EAPI, with what to install, if it
// or one of the functions is missing.
int load_opencl(opencl_api &api, const char *library = opencl_library);

// Returns any function of the library, or null without a message if it or the function is missing.
void *find_opencl_function(const char *name);

} // namespace het
