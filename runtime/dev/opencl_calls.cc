// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_calls.h"

namespace het::rt
{

namespace
{

template <typename F> bool find(const char *name, F *&function)
{
	function = reinterpret_cast<F *>(find_opencl_function(name));
	return function != nullptr;
}

bool fill(opencl_calls &c)
{
	find("clGetKernelArgInfo", c.get_kernel_arg_info);
	find("clCompileProgram", c.compile_program);
	find("clLinkProgram", c.link_program);
	find("clCreateImage", c.create_image);
	find("clCreateSampler", c.create_sampler);
	find("clReleaseSampler", c.release_sampler);
	find("clEnqueueReadImage", c.enqueue_read_image);
	find("clEnqueueWriteImage", c.enqueue_write_image);
	find("clEnqueueCopyImage", c.enqueue_copy_image);
	find("clGetSupportedImageFormats", c.get_supported_image_formats);
	find("clCreateProgramWithIL", c.create_program_with_il);
	find("clSVMAlloc", c.svm_alloc);
	find("clSVMFree", c.svm_free);
	find("clSetKernelArgSVMPointer", c.set_kernel_arg_svm_pointer);
	return find("clGetPlatformIDs", c.get_platform_ids) && find("clGetPlatformInfo", c.get_platform_info) &&
	       find("clGetDeviceIDs", c.get_device_ids) && find("clGetDeviceInfo", c.get_device_info) &&
	       find("clCreateContext", c.create_context) && find("clCreateCommandQueue", c.create_command_queue) &&
	       find("clCreateProgramWithSource", c.create_program_with_source) &&
	       find("clCreateProgramWithBinary", c.create_program_with_binary) &&
	       find("clBuildProgram", c.build_program) && find("clGetProgramBuildInfo", c.get_program_build_info) &&
	       find("clGetProgramInfo", c.get_program_info) && find("clReleaseProgram", c.release_program) &&
	       find("clCreateKernel", c.create_kernel) && find("clReleaseKernel", c.release_kernel) &&
	       find("clGetKernelInfo", c.get_kernel_info) &&
	       find("clGetKernelWorkGroupInfo", c.get_kernel_work_group_info) &&
	       find("clSetKernelArg", c.set_kernel_arg) && find("clCreateBuffer", c.create_buffer) &&
	       find("clCreateSubBuffer", c.create_sub_buffer) && find("clGetMemObjectInfo", c.get_mem_object_info) &&
	       find("clRetainMemObject", c.retain_mem_object) && find("clReleaseMemObject", c.release_mem_object) &&
	       find("clSetMemObjectDestructorCallback", c.set_mem_object_destructor_callback) &&
	       find("clEnqueueNDRangeKernel", c.enqueue_nd_range_kernel) &&
	       find("clEnqueueCopyBuffer", c.enqueue_copy_buffer) &&
	       find("clEnqueueReadBuffer", c.enqueue_read_buffer) && find("clFlush", c.flush) &&
	       find("clWaitForEvents", c.wait_for_events) && find("clGetEventInfo", c.get_event_info) &&
	       find("clGetEventProfilingInfo", c.get_event_profiling_info) && find("clReleaseEvent", c.release_event);
}

} // namespace

const opencl_calls *find_opencl_calls()
{
	static opencl_calls calls;
	static const bool found = fill(calls);
	return found ? &calls : nullptr;
}

} // namespace het::rt
