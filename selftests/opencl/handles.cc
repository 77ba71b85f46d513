// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Each call that takes a handle gets those that are none: null, one of another kind, a released one, and one of another
// platform where the loader does not look at it. A table names the code that the specification wants for them.
#include "test.h"

#include <CL/cl_icd.h>
#include <iterator>

using namespace cltest;

namespace
{

constexpr char source[] = "kernel void k(global uint *a) { a[0] = 1; }\n";
constexpr size_t n = 4096;

// What calls need beside the handle is good.
struct good_ones {
	explicit good_ones(const fixture &f)
	    : fx(f), buffer(f.buffer(n)), program(f.build(source)), kernel(f.kernel(source, "k")),
	      event(clCreateUserEvent(f.context, &err)), sampler(make_sampler())
	{
		OK(err);
		set(kernel, 0, buffer);
	}
	~good_ones()
	{
		OK(clSetUserEventStatus(event, CL_COMPLETE));
		OK(clReleaseEvent(event));
		OK(clReleaseKernel(kernel));
		OK(clReleaseProgram(program));
		OK(clReleaseMemObject(buffer));
		if (sampler)
			OK(clReleaseSampler(sampler));
	}
	good_ones(const good_ones &) = delete;
	good_ones &operator=(const good_ones &) = delete;

	// Devices without images have none.
	cl_sampler make_sampler()
	{
		if (!info<cl_bool>(clGetDeviceInfo, fx.device, CL_DEVICE_IMAGE_SUPPORT))
			return nullptr;
		return clCreateSampler(fx.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err);
	}

	const fixture &fx;
	cl_int err = CL_SUCCESS;
	cl_mem buffer;
	cl_program program;
	cl_kernel kernel;
	cl_event event;
	cl_sampler sampler;
	char bytes[n] = {};
	size_t origin[3] = {}, region[3] = {1, 1, 1}, one = 1;
	cl_ulong time = 0;
};

enum kind { device, context, queue, memory, program, kernel, event, sampler, nkinds };

// A handle of the kind that was released. Devices can't be.
void *released(const good_ones &g, kind k)
{
	cl_int err = CL_SUCCESS;
	const auto gone = [](auto object, auto release) -> void * {
		OK(release(object));
		return object;
	};
	switch (k) {
	case context:
		return gone(clCreateContext(nullptr, 1, &g.fx.device, nullptr, nullptr, &err), clReleaseContext);
	case queue:
		return gone(clCreateCommandQueue(g.fx.context, g.fx.device, 0, &err), clReleaseCommandQueue);
	case memory:
		return gone(g.fx.buffer(n), clReleaseMemObject);
	case program:
		return gone(g.fx.build(source), clReleaseProgram);
	case kernel:
		return gone(g.fx.kernel(source, "k"), clReleaseKernel);
	case event: {
		cl_event e = clCreateUserEvent(g.fx.context, &err);
		OK(clSetUserEventStatus(e, CL_COMPLETE));
		return gone(e, clReleaseEvent);
	}
	case sampler:
		return g.sampler
			       ? gone(clCreateSampler(g.fx.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &err),
				      clReleaseSampler)
			       : nullptr;
	default:
		return nullptr;
	}
}

// Has another platform's table, in which nothing is.
struct foreign_object {
	const cl_icd_dispatch *dispatch;
	char rest[256] = {};
};
const cl_icd_dispatch foreign_table = {};

// The handle comes first, and the loader looks at it, or it does not.
enum place { first, inner };

struct row {
	const char *call;
	kind is;
	place where;
	cl_int code;
	cl_int (*run)(good_ones &g, void *handle);
};

template <class F> cl_int code_of(F call)
{
	cl_int err = 1;
	CHECK(!call(&err));
	return err;
}

cl_device_id d(void *h)
{
	return static_cast<cl_device_id>(h);
}
cl_context c(void *h)
{
	return static_cast<cl_context>(h);
}
cl_command_queue q(void *h)
{
	return static_cast<cl_command_queue>(h);
}
cl_mem m(void *h)
{
	return static_cast<cl_mem>(h);
}
cl_program p(void *h)
{
	return static_cast<cl_program>(h);
}
cl_kernel k(void *h)
{
	return static_cast<cl_kernel>(h);
}
cl_event e(void *h)
{
	return static_cast<cl_event>(h);
}
cl_sampler s(void *h)
{
	return static_cast<cl_sampler>(h);
}

const cl_image_format format = {CL_RGBA, CL_FLOAT};
const cl_image_desc picture = {CL_MEM_OBJECT_IMAGE2D, 4, 4, 1, 0, 0, 0, 0, 0, {nullptr}};

const row object_rows[] = {
	{"clGetDeviceInfo", device, first, CL_INVALID_DEVICE,
	 [](good_ones &g, void *h) { return clGetDeviceInfo(d(h), CL_DEVICE_TYPE, 8, g.bytes, nullptr); }},
	{"clCreateSubDevices", device, first, CL_INVALID_DEVICE,
	 [](good_ones &, void *h) {
		 const cl_device_partition_property way[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
		 return clCreateSubDevices(d(h), way, 0, nullptr, nullptr);
	 }},
	{"clRetainDevice", device, first, CL_INVALID_DEVICE, [](good_ones &, void *h) { return clRetainDevice(d(h)); }},
	{"clReleaseDevice", device, first, CL_INVALID_DEVICE,
	 [](good_ones &, void *h) { return clReleaseDevice(d(h)); }},
	{"clGetDeviceAndHostTimer", device, first, CL_INVALID_DEVICE,
	 [](good_ones &g, void *h) { return clGetDeviceAndHostTimer(d(h), &g.time, &g.time); }},
	{"clGetHostTimer", device, first, CL_INVALID_DEVICE,
	 [](good_ones &g, void *h) { return clGetHostTimer(d(h), &g.time); }},
	{"clCreateCommandQueue, device", device, inner, CL_INVALID_DEVICE,
	 [](good_ones &g, void *h) {
		 return code_of([&](cl_int *err) { return clCreateCommandQueue(g.fx.context, d(h), 0, err); });
	 }},
	{"clCreateCommandQueueWithProperties, device", device, inner, CL_INVALID_DEVICE,
	 [](good_ones &g, void *h) {
		 return code_of([&](cl_int *err) {
			 return clCreateCommandQueueWithProperties(g.fx.context, d(h), nullptr, err);
		 });
	 }},
	{"clGetKernelWorkGroupInfo, device", device, inner, CL_INVALID_DEVICE,
	 [](good_ones &g, void *h) {
		 // Null stands for the only device of the kernel.
		 return h ? clGetKernelWorkGroupInfo(g.kernel, d(h), CL_KERNEL_WORK_GROUP_SIZE, 8, g.bytes, nullptr)
			  : cl_int{CL_INVALID_DEVICE};
	 }},
	{"clRetainContext", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) { return clRetainContext(c(h)); }},
	{"clReleaseContext", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) { return clReleaseContext(c(h)); }},
	{"clGetContextInfo", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &g, void *h) { return clGetContextInfo(c(h), CL_CONTEXT_NUM_DEVICES, 4, g.bytes, nullptr); }},
	{"clSetContextDestructorCallback", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) {
		 return clSetContextDestructorCallback(
			 c(h), [](cl_context, void *) {}, nullptr);
	 }},
	{"clCreateCommandQueue", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &g, void *h) {
		 return code_of([&](cl_int *err) { return clCreateCommandQueue(c(h), g.fx.device, 0, err); });
	 }},
	{"clCreateCommandQueueWithProperties", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &g, void *h) {
		 return code_of([&](cl_int *err) {
			 return clCreateCommandQueueWithProperties(c(h), g.fx.device, nullptr, err);
		 });
	 }},
	{"clCreateBuffer", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) {
		 return code_of([&](cl_int *err) { return clCreateBuffer(c(h), 0, n, nullptr, err); });
	 }},
	{"clCreateBufferWithProperties", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) {
		 return code_of(
			 [&](cl_int *err) { return clCreateBufferWithProperties(c(h), nullptr, 0, n, nullptr, err); });
	 }},
	{"clCreateImage", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) {
		 return code_of([&](cl_int *err) { return clCreateImage(c(h), 0, &format, &picture, nullptr, err); });
	 }},
	{"clCreateImageWithProperties", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) {
		 return code_of([&](cl_int *err) {
			 return clCreateImageWithProperties(c(h), nullptr, 0, &format, &picture, nullptr, err);
		 });
	 }},
	{"clGetSupportedImageFormats", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) {
		 cl_uint count;
		 return clGetSupportedImageFormats(c(h), CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count);
	 }},
	{"clCreateSampler", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) {
		 return code_of([&](cl_int *err) {
			 return clCreateSampler(c(h), CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, err);
		 });
	 }},
	{"clCreateSamplerWithProperties", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) {
		 return code_of([&](cl_int *err) { return clCreateSamplerWithProperties(c(h), nullptr, err); });
	 }},
	{"clCreateProgramWithSource", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) {
		 const char *text = source;
		 return code_of([&](cl_int *err) { return clCreateProgramWithSource(c(h), 1, &text, nullptr, err); });
	 }},
	{"clCreateProgramWithBinary", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &g, void *h) {
		 const auto *bytes = reinterpret_cast<const unsigned char *>(g.bytes);
		 return code_of([&](cl_int *err) {
			 return clCreateProgramWithBinary(c(h), 1, &g.fx.device, &g.one, &bytes, nullptr, err);
		 });
	 }},
	{"clCreateProgramWithBuiltInKernels", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &g, void *h) {
		 return code_of([&](cl_int *err) {
			 return clCreateProgramWithBuiltInKernels(c(h), 1, &g.fx.device, "none", err);
		 });
	 }},
	{"clCreateProgramWithIL", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &g, void *h) {
		 return code_of([&](cl_int *err) { return clCreateProgramWithIL(c(h), g.bytes, 8, err); });
	 }},
	{"clLinkProgram", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &g, void *h) {
		 return code_of([&](cl_int *err) {
			 return clLinkProgram(c(h), 0, nullptr, "", 1, &g.program, nullptr, nullptr, err);
		 });
	 }},
	{"clCreateUserEvent", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) { return code_of([&](cl_int *err) { return clCreateUserEvent(c(h), err); }); }},
	{"clCreatePipe", context, first, CL_INVALID_CONTEXT,
	 [](good_ones &, void *h) {
		 return code_of([&](cl_int *err) { return clCreatePipe(c(h), 0, 4, 4, nullptr, err); });
	 }},
	{"clRetainMemObject", memory, first, CL_INVALID_MEM_OBJECT,
	 [](good_ones &, void *h) { return clRetainMemObject(m(h)); }},
	{"clReleaseMemObject", memory, first, CL_INVALID_MEM_OBJECT,
	 [](good_ones &, void *h) { return clReleaseMemObject(m(h)); }},
	{"clGetMemObjectInfo", memory, first, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) { return clGetMemObjectInfo(m(h), CL_MEM_SIZE, 8, g.bytes, nullptr); }},
	{"clGetImageInfo", memory, first, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) { return clGetImageInfo(m(h), CL_IMAGE_WIDTH, 8, g.bytes, nullptr); }},
	{"clGetPipeInfo", memory, first, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) { return clGetPipeInfo(m(h), CL_PIPE_PACKET_SIZE, 4, g.bytes, nullptr); }},
	{"clCreateSubBuffer", memory, first, CL_INVALID_MEM_OBJECT,
	 [](good_ones &, void *h) {
		 const cl_buffer_region part = {0, 8};
		 return code_of([&](cl_int *err) {
			 return clCreateSubBuffer(m(h), 0, CL_BUFFER_CREATE_TYPE_REGION, &part, err);
		 });
	 }},
	{"clSetMemObjectDestructorCallback", memory, first, CL_INVALID_MEM_OBJECT,
	 [](good_ones &, void *h) {
		 return clSetMemObjectDestructorCallback(
			 m(h), [](cl_mem, void *) {}, nullptr);
	 }},
	{"clRetainProgram", program, first, CL_INVALID_PROGRAM,
	 [](good_ones &, void *h) { return clRetainProgram(p(h)); }},
	{"clReleaseProgram", program, first, CL_INVALID_PROGRAM,
	 [](good_ones &, void *h) { return clReleaseProgram(p(h)); }},
	{"clBuildProgram", program, first, CL_INVALID_PROGRAM,
	 [](good_ones &, void *h) { return clBuildProgram(p(h), 0, nullptr, "", nullptr, nullptr); }},
	{"clCompileProgram", program, first, CL_INVALID_PROGRAM,
	 [](good_ones &, void *h) {
		 return clCompileProgram(p(h), 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr);
	 }},
	{"clLinkProgram, program", program, inner, CL_INVALID_PROGRAM,
	 [](good_ones &g, void *h) {
		 const cl_program parts[] = {p(h)};
		 return code_of([&](cl_int *err) {
			 return clLinkProgram(g.fx.context, 0, nullptr, "", 1, parts, nullptr, nullptr, err);
		 });
	 }},
	{"clGetProgramInfo", program, first, CL_INVALID_PROGRAM,
	 [](good_ones &g, void *h) { return clGetProgramInfo(p(h), CL_PROGRAM_NUM_DEVICES, 4, g.bytes, nullptr); }},
	{"clGetProgramBuildInfo", program, first, CL_INVALID_PROGRAM,
	 [](good_ones &g, void *h) {
		 return clGetProgramBuildInfo(p(h), g.fx.device, CL_PROGRAM_BUILD_STATUS, 4, g.bytes, nullptr);
	 }},
	{"clSetProgramReleaseCallback", program, first, CL_INVALID_PROGRAM,
	 [](good_ones &, void *h) {
		 return clSetProgramReleaseCallback(
			 p(h), [](cl_program, void *) {}, nullptr);
	 }},
	{"clSetProgramSpecializationConstant", program, first, CL_INVALID_PROGRAM,
	 [](good_ones &g, void *h) { return clSetProgramSpecializationConstant(p(h), 0, 4, g.bytes); }},
	{"clCreateKernel", program, first, CL_INVALID_PROGRAM,
	 [](good_ones &, void *h) { return code_of([&](cl_int *err) { return clCreateKernel(p(h), "k", err); }); }},
	{"clCreateKernelsInProgram", program, first, CL_INVALID_PROGRAM,
	 [](good_ones &, void *h) {
		 cl_uint count;
		 return clCreateKernelsInProgram(p(h), 0, nullptr, &count);
	 }},
	{"clRetainKernel", kernel, first, CL_INVALID_KERNEL, [](good_ones &, void *h) { return clRetainKernel(k(h)); }},
	{"clReleaseKernel", kernel, first, CL_INVALID_KERNEL,
	 [](good_ones &, void *h) { return clReleaseKernel(k(h)); }},
	{"clCloneKernel", kernel, first, CL_INVALID_KERNEL,
	 [](good_ones &, void *h) { return code_of([&](cl_int *err) { return clCloneKernel(k(h), err); }); }},
	{"clSetKernelArg", kernel, first, CL_INVALID_KERNEL,
	 [](good_ones &g, void *h) { return clSetKernelArg(k(h), 0, sizeof(cl_mem), &g.buffer); }},
	{"clSetKernelArgSVMPointer", kernel, first, CL_INVALID_KERNEL,
	 [](good_ones &g, void *h) { return clSetKernelArgSVMPointer(k(h), 0, g.bytes); }},
	{"clSetKernelExecInfo", kernel, first, CL_INVALID_KERNEL,
	 [](good_ones &, void *h) {
		 const cl_bool yes = CL_TRUE;
		 return clSetKernelExecInfo(k(h), CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof(yes), &yes);
	 }},
	{"clGetKernelInfo", kernel, first, CL_INVALID_KERNEL,
	 [](good_ones &g, void *h) { return clGetKernelInfo(k(h), CL_KERNEL_NUM_ARGS, 4, g.bytes, nullptr); }},
	{"clGetKernelArgInfo", kernel, first, CL_INVALID_KERNEL,
	 [](good_ones &g, void *h) { return clGetKernelArgInfo(k(h), 0, CL_KERNEL_ARG_NAME, n, g.bytes, nullptr); }},
	{"clGetKernelWorkGroupInfo", kernel, first, CL_INVALID_KERNEL,
	 [](good_ones &g, void *h) {
		 return clGetKernelWorkGroupInfo(k(h), g.fx.device, CL_KERNEL_WORK_GROUP_SIZE, 8, g.bytes, nullptr);
	 }},
	{"clGetKernelSubGroupInfo", kernel, first, CL_INVALID_KERNEL,
	 [](good_ones &g, void *h) {
		 return clGetKernelSubGroupInfo(k(h), g.fx.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, 8, g.bytes,
						nullptr);
	 }},
	{"clRetainEvent", event, first, CL_INVALID_EVENT, [](good_ones &, void *h) { return clRetainEvent(e(h)); }},
	{"clReleaseEvent", event, first, CL_INVALID_EVENT, [](good_ones &, void *h) { return clReleaseEvent(e(h)); }},
	{"clGetEventInfo", event, first, CL_INVALID_EVENT,
	 [](good_ones &g, void *h) { return clGetEventInfo(e(h), CL_EVENT_COMMAND_TYPE, 4, g.bytes, nullptr); }},
	{"clGetEventProfilingInfo", event, first, CL_INVALID_EVENT,
	 [](good_ones &g, void *h) {
		 return clGetEventProfilingInfo(e(h), CL_PROFILING_COMMAND_END, 8, g.bytes, nullptr);
	 }},
	{"clSetEventCallback", event, first, CL_INVALID_EVENT,
	 [](good_ones &, void *h) {
		 return clSetEventCallback(
			 e(h), CL_COMPLETE, [](cl_event, cl_int, void *) {}, nullptr);
	 }},
	{"clSetUserEventStatus", event, first, CL_INVALID_EVENT,
	 [](good_ones &, void *h) { return clSetUserEventStatus(e(h), CL_COMPLETE); }},
	{"clWaitForEvents", event, first, CL_INVALID_EVENT,
	 [](good_ones &, void *h) {
		 const cl_event one = e(h);
		 return clWaitForEvents(1, &one);
	 }},
	{"clRetainSampler", sampler, first, CL_INVALID_SAMPLER,
	 [](good_ones &, void *h) { return clRetainSampler(s(h)); }},
	{"clReleaseSampler", sampler, first, CL_INVALID_SAMPLER,
	 [](good_ones &, void *h) { return clReleaseSampler(s(h)); }},
	{"clGetSamplerInfo", sampler, first, CL_INVALID_SAMPLER,
	 [](good_ones &g, void *h) { return clGetSamplerInfo(s(h), CL_SAMPLER_FILTER_MODE, 4, g.bytes, nullptr); }},
};

const row command_rows[] = {
	{"clRetainCommandQueue", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &, void *h) { return clRetainCommandQueue(q(h)); }},
	{"clReleaseCommandQueue", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &, void *h) { return clReleaseCommandQueue(q(h)); }},
	{"clGetCommandQueueInfo", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &g, void *h) { return clGetCommandQueueInfo(q(h), CL_QUEUE_PROPERTIES, 8, g.bytes, nullptr); }},
	{"clFlush", queue, first, CL_INVALID_COMMAND_QUEUE, [](good_ones &, void *h) { return clFlush(q(h)); }},
	{"clFinish", queue, first, CL_INVALID_COMMAND_QUEUE, [](good_ones &, void *h) { return clFinish(q(h)); }},
	{"clEnqueueMarker", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &, void *h) {
		 cl_event made;
		 return clEnqueueMarker(q(h), &made);
	 }},
	{"clEnqueueMarkerWithWaitList", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &, void *h) { return clEnqueueMarkerWithWaitList(q(h), 0, nullptr, nullptr); }},
	{"clEnqueueMarkerWithWaitList, event", event, inner, CL_INVALID_EVENT_WAIT_LIST,
	 [](good_ones &g, void *h) {
		 const cl_event waits[] = {e(h)};
		 return clEnqueueMarkerWithWaitList(g.fx.queue, 1, waits, nullptr);
	 }},
	{"clEnqueueBarrier", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &, void *h) { return clEnqueueBarrier(q(h)); }},
	{"clEnqueueBarrierWithWaitList", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &, void *h) { return clEnqueueBarrierWithWaitList(q(h), 0, nullptr, nullptr); }},
	{"clEnqueueReadBuffer", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &g, void *h) {
		 return clEnqueueReadBuffer(q(h), g.buffer, CL_TRUE, 0, 8, g.bytes, 0, nullptr, nullptr);
	 }},
	{"clEnqueueReadBuffer, buffer", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueReadBuffer(g.fx.queue, m(h), CL_TRUE, 0, 8, g.bytes, 0, nullptr, nullptr);
	 }},
	{"clEnqueueWriteBuffer", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &g, void *h) {
		 return clEnqueueWriteBuffer(q(h), g.buffer, CL_TRUE, 0, 8, g.bytes, 0, nullptr, nullptr);
	 }},
	{"clEnqueueWriteBuffer, buffer", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueWriteBuffer(g.fx.queue, m(h), CL_TRUE, 0, 8, g.bytes, 0, nullptr, nullptr);
	 }},
	{"clEnqueueReadBufferRect, buffer", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueReadBufferRect(g.fx.queue, m(h), CL_TRUE, g.origin, g.origin, g.region, 0, 0, 0, 0,
						g.bytes, 0, nullptr, nullptr);
	 }},
	{"clEnqueueWriteBufferRect, buffer", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueWriteBufferRect(g.fx.queue, m(h), CL_TRUE, g.origin, g.origin, g.region, 0, 0, 0, 0,
						 g.bytes, 0, nullptr, nullptr);
	 }},
	{"clEnqueueFillBuffer, buffer", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueFillBuffer(g.fx.queue, m(h), g.bytes, 4, 0, 8, 0, nullptr, nullptr);
	 }},
	{"clEnqueueCopyBuffer, source", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueCopyBuffer(g.fx.queue, m(h), g.buffer, 0, 0, 8, 0, nullptr, nullptr);
	 }},
	{"clEnqueueCopyBuffer, target", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueCopyBuffer(g.fx.queue, g.buffer, m(h), 0, 0, 8, 0, nullptr, nullptr);
	 }},
	{"clEnqueueCopyBufferRect, target", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueCopyBufferRect(g.fx.queue, g.buffer, m(h), g.origin, g.origin, g.region, 0, 0, 0, 0, 0,
						nullptr, nullptr);
	 }},
	{"clEnqueueMapBuffer, buffer", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return code_of([&](cl_int *err) {
			 return clEnqueueMapBuffer(g.fx.queue, m(h), CL_TRUE, CL_MAP_READ, 0, 8, 0, nullptr, nullptr,
						   err);
		 });
	 }},
	{"clEnqueueUnmapMemObject, object", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) { return clEnqueueUnmapMemObject(g.fx.queue, m(h), g.bytes, 0, nullptr, nullptr); }},
	{"clEnqueueMigrateMemObjects, object", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 const cl_mem objects[] = {m(h)};
		 return clEnqueueMigrateMemObjects(g.fx.queue, 1, objects, 0, 0, nullptr, nullptr);
	 }},
	{"clEnqueueReadImage, image", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueReadImage(g.fx.queue, m(h), CL_TRUE, g.origin, g.region, 0, 0, g.bytes, 0, nullptr,
					   nullptr);
	 }},
	{"clEnqueueWriteImage, image", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueWriteImage(g.fx.queue, m(h), CL_TRUE, g.origin, g.region, 0, 0, g.bytes, 0, nullptr,
					    nullptr);
	 }},
	{"clEnqueueFillImage, image", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueFillImage(g.fx.queue, m(h), g.bytes, g.origin, g.region, 0, nullptr, nullptr);
	 }},
	{"clEnqueueCopyImage, source", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueCopyImage(g.fx.queue, m(h), m(h), g.origin, g.origin, g.region, 0, nullptr, nullptr);
	 }},
	{"clEnqueueCopyImageToBuffer, image", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueCopyImageToBuffer(g.fx.queue, m(h), g.buffer, g.origin, g.region, 0, 0, nullptr,
						   nullptr);
	 }},
	{"clEnqueueCopyBufferToImage, image", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 return clEnqueueCopyBufferToImage(g.fx.queue, g.buffer, m(h), 0, g.origin, g.region, 0, nullptr,
						   nullptr);
	 }},
	{"clEnqueueMapImage, image", memory, inner, CL_INVALID_MEM_OBJECT,
	 [](good_ones &g, void *h) {
		 size_t row = 0;
		 return code_of([&](cl_int *err) {
			 return clEnqueueMapImage(g.fx.queue, m(h), CL_TRUE, CL_MAP_READ, g.origin, g.region, &row,
						  nullptr, 0, nullptr, nullptr, err);
		 });
	 }},
	{"clEnqueueNDRangeKernel", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &g, void *h) {
		 return clEnqueueNDRangeKernel(q(h), g.kernel, 1, nullptr, &g.one, nullptr, 0, nullptr, nullptr);
	 }},
	{"clEnqueueNDRangeKernel, kernel", kernel, inner, CL_INVALID_KERNEL,
	 [](good_ones &g, void *h) {
		 return clEnqueueNDRangeKernel(g.fx.queue, k(h), 1, nullptr, &g.one, nullptr, 0, nullptr, nullptr);
	 }},
	{"clEnqueueTask, kernel", kernel, inner, CL_INVALID_KERNEL,
	 [](good_ones &g, void *h) { return clEnqueueTask(g.fx.queue, k(h), 0, nullptr, nullptr); }},
	{"clEnqueueNativeKernel", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &, void *h) {
		 return clEnqueueNativeKernel(
			 q(h), [](void *) {}, nullptr, 0, 0, nullptr, nullptr, 0, nullptr, nullptr);
	 }},
	{"clEnqueueNDRangeKernel, event", event, inner, CL_INVALID_EVENT_WAIT_LIST,
	 [](good_ones &g, void *h) {
		 const cl_event waits[] = {e(h)};
		 return clEnqueueNDRangeKernel(g.fx.queue, g.kernel, 1, nullptr, &g.one, nullptr, 1, waits, nullptr);
	 }},
	{"clEnqueueSVMMap", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &g, void *h) {
		 return clEnqueueSVMMap(q(h), CL_TRUE, CL_MAP_READ, g.bytes, 8, 0, nullptr, nullptr);
	 }},
	{"clEnqueueSVMMemFill", queue, first, CL_INVALID_COMMAND_QUEUE,
	 [](good_ones &g, void *h) {
		 return clEnqueueSVMMemFill(q(h), g.bytes, g.bytes + 8, 4, 8, 0, nullptr, nullptr);
	 }},
};

struct fault {
	const char *name;
	void *handle;
};

template <size_t count> void check_rows(fixture &fx, const row (&rows)[count])
{
	good_ones g(fx);
	void *gone[nkinds];
	for (int k = 0; k < nkinds; k++)
		gone[k] = released(g, kind(k));
	foreign_object stranger = {&foreign_table};
	unsigned wrong = 0;
	for (const row &r : rows) {
		void *of_another_kind = r.is == context ? static_cast<void *>(fx.queue) : fx.context;
		const fault faults[] = {{"null", nullptr},
					{"another kind", of_another_kind},
					{"released", gone[r.is]},
					{"another platform's", r.where == inner ? &stranger : nullptr}};
		for (const fault &f : faults)
			wrong += !has_code(std::string(r.call) + ", " + f.name, r.run(g, f.handle), r.code);
	}
	CHECK_EQ(wrong, 0u);
	OK(clFinish(fx.queue));
}

} // namespace

TEST(handles_of_objects)
{
	check_rows(fx, object_rows);
}

TEST(handles_in_commands)
{
	check_rows(fx, command_rows);
}
