// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The runtime uses these entry points of OpenCL, from the loader that lib/dev has opened. They are never those that
// libhet interposes.
#pragma once

#include "dev/compute_device.h"
#include "dev/opencl_api.h"

#include <cstring>

namespace het::rt
{

struct opencl_calls {
	decltype(&clGetPlatformIDs) get_platform_ids;
	decltype(&clGetPlatformInfo) get_platform_info;
	decltype(&clGetDeviceIDs) get_device_ids;
	decltype(&clGetDeviceInfo) get_device_info;
	decltype(&clCreateContext) create_context;
	decltype(&clCreateCommandQueue) create_command_queue;
	decltype(&clCreateProgramWithSource) create_program_with_source;
	decltype(&clCreateProgramWithBinary) create_program_with_binary;
	decltype(&clBuildProgram) build_program;
	decltype(&clGetProgramBuildInfo) get_program_build_info;
	decltype(&clGetProgramInfo) get_program_info;
	decltype(&clReleaseProgram) release_program;
	decltype(&clCreateKernel) create_kernel;
	decltype(&clReleaseKernel) release_kernel;
	decltype(&clGetKernelInfo) get_kernel_info;
	decltype(&clGetKernelWorkGroupInfo) get_kernel_work_group_info;
	decltype(&clSetKernelArg) set_kernel_arg;
	decltype(&clCreateBuffer) create_buffer;
	decltype(&clCreateSubBuffer) create_sub_buffer;
	decltype(&clGetMemObjectInfo) get_mem_object_info;
	decltype(&clRetainMemObject) retain_mem_object;
	decltype(&clReleaseMemObject) release_mem_object;
	decltype(&clSetMemObjectDestructorCallback) set_mem_object_destructor_callback;
	decltype(&clEnqueueNDRangeKernel) enqueue_nd_range_kernel;
	decltype(&clEnqueueCopyBuffer) enqueue_copy_buffer;
	decltype(&clEnqueueReadBuffer) enqueue_read_buffer;
	decltype(&clFlush) flush;
	decltype(&clWaitForEvents) wait_for_events;
	decltype(&clGetEventInfo) get_event_info;
	decltype(&clGetEventProfilingInfo) get_event_profiling_info;
	decltype(&clReleaseEvent) release_event;

	// Loaders older than OpenCL 1.2 lack these.
	decltype(&clGetKernelArgInfo) get_kernel_arg_info;
	decltype(&clCompileProgram) compile_program;
	decltype(&clLinkProgram) link_program;
	decltype(&clCreateImage) create_image;
	decltype(&clCreateSampler) create_sampler;
	decltype(&clReleaseSampler) release_sampler;
	decltype(&clEnqueueReadImage) enqueue_read_image;
	decltype(&clEnqueueWriteImage) enqueue_write_image;
	decltype(&clEnqueueCopyImage) enqueue_copy_image;
	decltype(&clGetSupportedImageFormats) get_supported_image_formats;
	bool has_images() const
	{
		return create_image && create_sampler && release_sampler && enqueue_read_image && enqueue_write_image &&
		       enqueue_copy_image && get_supported_image_formats;
	}

	// Loaders older than OpenCL 2.1 lack this.
	decltype(&clCreateProgramWithIL) create_program_with_il;
	// Loaders older than OpenCL 2.0 lack these.
	decltype(&clSVMAlloc) svm_alloc;
	decltype(&clSVMFree) svm_free;
	decltype(&clSetKernelArgSVMPointer) set_kernel_arg_svm_pointer;
};

// Returns null without a loader, or with one that lacks a function. There is no message: OpenCL is optional.
const opencl_calls *find_opencl_calls();

// Calls clGet...Info() for answers of a fixed size. Returns false, and leaves @answer as it was, if that fails.
template <typename F, typename O, typename T> bool ask(F *get_info, O object, cl_uint what, T &answer)
{
	T got;
	// NOLINTNEXTLINE(bugprone-sizeof-expression): handles
	if (get_info(object, what, sizeof(T), &got, nullptr) != CL_SUCCESS)
		return false;
	memcpy(&answer, &got, sizeof(T));
	return true;
}

// Hands a question of the program's on to one of clGet...Info().
template <typename F> int answer(const opencl_question &q, F get_info)
{
	return get_info(q.what, q.room, q.answer, q.nbytes) == CL_SUCCESS ? 0 : HET_EARG;
}

} // namespace het::rt
