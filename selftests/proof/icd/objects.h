// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is a skeleton of an OpenCL platform over het.h, with what an unmodified program needs for buffers, kernels and
// queues. Handles are the structures below: they have the dispatch table first, as the loader wants it, and then
// handles of the runtime's.
#pragma once

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <atomic>
#include <het.h>
#include <memory>
#include <type_traits>
#include <vector>

namespace icd
{

// The platform has these calls; the others are null in its table.
// clang-format off
#define ICD_CALLS(F) \
	F(clGetPlatformIDs) F(clGetPlatformInfo) F(clGetDeviceIDs) F(clGetDeviceInfo) \
	F(clCreateContext) F(clRetainContext) F(clReleaseContext) F(clCreateCommandQueue) \
	F(clRetainCommandQueue) F(clReleaseCommandQueue) F(clFlush) F(clFinish) F(clWaitForEvents) \
	F(clRetainEvent) F(clReleaseEvent) F(clCreateBuffer) F(clRetainMemObject) \
	F(clReleaseMemObject) F(clEnqueueReadBuffer) F(clEnqueueWriteBuffer) \
	F(clEnqueueCopyBufferRect) F(clEnqueueMapBuffer) F(clEnqueueUnmapMemObject) \
	F(clCreateProgramWithSource) F(clRetainProgram) F(clReleaseProgram) F(clBuildProgram) \
	F(clGetProgramBuildInfo) F(clCreateKernel) F(clRetainKernel) F(clReleaseKernel) \
	F(clSetKernelArg) F(clEnqueueNDRangeKernel)
// clang-format on

// NOLINTNEXTLINE(bugprone-macro-parentheses): declarations
#define ICD_DECLARE(call) decltype(::call) call;
ICD_CALLS(ICD_DECLARE)
#undef ICD_DECLARE

extern const cl_icd_dispatch table;

// Every handle begins with this, and is made with one reference.
struct handle {
	const cl_icd_dispatch *dispatch = &table;
	std::atomic<cl_uint> references{1};
};

template <class T> cl_int retain(T *o, cl_int if_null)
{
	if (!o)
		return if_null;
	o->references++;
	return CL_SUCCESS;
}

template <class T> cl_int release(T *o, cl_int if_null)
{
	if (!o)
		return if_null;
	if (!--o->references)
		delete o;
	return CL_SUCCESS;
}

// Owns one handle of the runtime's.
template <class T, int (*release_function)(T *)> struct releases {
	void operator()(T *p) const { release_function(p); }
};
template <class T, int (*release_function)(T *)> using owner = std::unique_ptr<T, releases<T, release_function>>;

// Answers a call that makes something.
template <class T> T *give(T *made, cl_int code, cl_int *error)
{
	if (error)
		*error = code;
	return made;
}

// Translates an error of the runtime's.
cl_int code_of(int err);
// Answers clGet...Info().
cl_int answer(const void *bytes, size_t n, size_t room, void *value, size_t *size);
cl_int answer(const char *text, size_t room, void *value, size_t *size);

// Starts the runtime, which must not find this platform among the others. Returns HET_E..., as het_devices() does.
int start();

// A command knows its wait list, and afterwards what the caller wants of its event.
class command
{
      public:
	command(cl_uint nwaits, const cl_event *waits);
	~command() { het_event_release(event_); }
	command(const command &) = delete;
	command &operator=(const command &) = delete;

	// Makes the arguments of a call of the runtime's, with size and wait list.
	template <class A> A arguments() const
	{
		A a = {};
		a.size = sizeof a;
		a.nwaits = waits_.size();
		a.waits = waits_.data();
		return a;
	}
	het_event **out() { return &event_; }
	cl_int end(int err, cl_bool blocking, cl_event *event);

      private:
	std::vector<het_event *> waits_;
	het_event *event_ = nullptr;
};

// Tells whether a kernel's argument is one of ours: the runtime does not describe kernels from source.
bool is_buffer(const void *handle);

} // namespace icd

struct _cl_platform_id : icd::handle {
};
struct _cl_device_id : icd::handle {
};
struct _cl_context : icd::handle {
};
struct _cl_command_queue : icd::handle {
	icd::owner<het_queue, het_queue_release> queue;
};
struct _cl_mem : icd::handle {
	_cl_mem();
	~_cl_mem();
	icd::owner<het_memory, het_memory_release> memory;
};
struct _cl_program : icd::handle {
	std::vector<char> source;
	icd::owner<het_program, het_program_release> program;
};
struct _cl_kernel : icd::handle {
	struct argument {
		het_arg arg;
		std::vector<char> value; // the bytes that a value points to
	};
	icd::owner<het_kernel, het_kernel_release> kernel;
	std::vector<argument> arguments;
};
struct _cl_event : icd::handle {
	icd::owner<het_event, het_event_release> event;
};
