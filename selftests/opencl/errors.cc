// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A table: a call with one thing wrong in it, and the code that the specification names for that.
#include "test.h"

using namespace cltest;

namespace
{

constexpr char source[] =
	"kernel void k(global uint *a, uint v, local uint *l) { l[0] = v; a[0] = l[0]; }\n"
	"kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global uint *a) { a[0] = 4; }\n";
constexpr size_t n = 4096;

// All of these are good, but for the null and released ones.
struct objects {
	explicit objects(const fixture &f) : fx(f), device(f.device), context(f.context), queue(f.queue)
	{
		cl_int err = CL_SUCCESS;
		buffer = fx.buffer(n);
		to_host = fx.buffer(n, CL_MEM_HOST_READ_ONLY | CL_MEM_READ_ONLY);
		from_host = fx.buffer(n, CL_MEM_HOST_WRITE_ONLY | CL_MEM_WRITE_ONLY);
		private_one = fx.buffer(n, CL_MEM_HOST_NO_ACCESS);
		program = fx.build(source);
		const char *text = source;
		unbuilt = clCreateProgramWithSource(context, 1, &text, nullptr, &err);
		kernel = clCreateKernel(program, "k", &err);
		unset = clCreateKernel(program, "k", &err);
		four = clCreateKernel(program, "four", &err);
		set(kernel, 0, buffer);
		set(kernel, 1, cl_uint{1});
		OK(clSetKernelArg(kernel, 2, 64, nullptr));
		set(four, 0, buffer);
		OK(clEnqueueMarkerWithWaitList(queue, 0, nullptr, &done));
		OK(clFinish(queue));
		user = clCreateUserEvent(context, &err);
		unmeasured = clCreateCommandQueue(context, device, 0, &err);
		OK(clEnqueueMarkerWithWaitList(unmeasured, 0, nullptr, &timeless));
		OK(clFinish(unmeasured));
		gone = fx.buffer(n);
		OK(clReleaseMemObject(gone));
		other = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &err);
		other_queue = clCreateCommandQueue(other, device, 0, &err);
		other_buffer = clCreateBuffer(other, 0, n, nullptr, &err);
		other_event = clCreateUserEvent(other, &err);
	}
	~objects()
	{
		for (cl_mem m : {buffer, to_host, from_host, private_one, other_buffer})
			OK(clReleaseMemObject(m));
		for (cl_kernel k : {kernel, unset, four})
			OK(clReleaseKernel(k));
		for (cl_program p : {program, unbuilt})
			OK(clReleaseProgram(p));
		OK(clSetUserEventStatus(user, CL_COMPLETE));
		OK(clSetUserEventStatus(other_event, CL_COMPLETE));
		for (cl_event e : {done, user, timeless, other_event})
			OK(clReleaseEvent(e));
		OK(clReleaseCommandQueue(unmeasured));
		OK(clReleaseCommandQueue(other_queue));
		OK(clReleaseContext(other));
	}
	objects(const objects &) = delete;
	objects &operator=(const objects &) = delete;

	const fixture &fx;
	cl_device_id device;
	cl_context context, other;
	cl_command_queue queue, unmeasured, other_queue;
	cl_mem buffer, to_host, from_host, private_one, gone, other_buffer;
	cl_program program, unbuilt;
	cl_kernel kernel, unset, four;
	cl_event done, user, timeless, other_event;

	char bytes[n] = {};
	size_t one = 1, three = 3, four_items = 4, huge = size_t{1} << 40, zero = 0, most = SIZE_MAX;
	size_t origin[3] = {}, region[3] = {8, 2, 1}, flat[3] = {8, 0, 1};
	cl_uint number = 0;
	size_t size = 0;

	cl_int launch(cl_kernel k, cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local)
	{
		return clEnqueueNDRangeKernel(queue, k, dimensions, offset, global, local, 0, nullptr, nullptr);
	}
	cl_int copy_rect(cl_mem from, cl_mem to, const size_t *at, const size_t *to_at, const size_t *what, size_t row)
	{
		return clEnqueueCopyBufferRect(queue, from, to, at, to_at, what, row, 0, row, 0, 0, nullptr, nullptr);
	}
	cl_int map(cl_mem m, cl_map_flags flags, size_t offset, size_t nbytes)
	{
		cl_int err = 1;
		void *at = clEnqueueMapBuffer(queue, m, CL_TRUE, flags, offset, nbytes, 0, nullptr, nullptr, &err);
		CHECK(!at == (err != CL_SUCCESS));
		return err;
	}
	cl_int create(cl_mem_flags flags, size_t nbytes, void *host)
	{
		cl_int err = 1;
		CHECK(!clCreateBuffer(context, flags, nbytes, host, &err));
		return err;
	}
	cl_int part(cl_mem m, cl_mem_flags flags, size_t at, size_t nbytes)
	{
		const cl_buffer_region r = {at, nbytes};
		cl_int err = 1;
		CHECK(!clCreateSubBuffer(m, flags, CL_BUFFER_CREATE_TYPE_REGION, &r, &err));
		return err;
	}
};

// Calls that make something return null, and their code through a pointer.
template <class F> cl_int code_of(F call)
{
	cl_int err = 1;
	CHECK(!call(&err));
	return err;
}

struct row {
	const char *call, *fault;
	cl_int (*run)(objects &);
	cl_int code;
};

void CL_CALLBACK ignore(cl_event, cl_int, void *) {}

const row objects_rows[] = {
	{"clGetPlatformIDs", "nothing asked", [](objects &) { return clGetPlatformIDs(0, nullptr, nullptr); },
	 CL_INVALID_VALUE},
	{"clGetPlatformInfo", "unknown question",
	 [](objects &o) { return clGetPlatformInfo(o.fx.platform, 1, 0, nullptr, &o.size); }, CL_INVALID_VALUE},
	{"clGetDeviceIDs", "no type",
	 [](objects &o) { return clGetDeviceIDs(o.fx.platform, 0, 0, nullptr, &o.number); }, CL_INVALID_DEVICE_TYPE},
	{"clGetDeviceIDs", "none of that type",
	 [](objects &o) { return clGetDeviceIDs(o.fx.platform, CL_DEVICE_TYPE_CUSTOM, 0, nullptr, &o.number); },
	 CL_DEVICE_NOT_FOUND},
	{"clGetDeviceIDs", "no room",
	 [](objects &o) { return clGetDeviceIDs(o.fx.platform, CL_DEVICE_TYPE_ALL, 0, &o.device, &o.number); },
	 CL_INVALID_VALUE},
	{"clGetDeviceInfo", "too little room",
	 [](objects &o) { return clGetDeviceInfo(o.device, CL_DEVICE_TYPE, 1, o.bytes, nullptr); }, CL_INVALID_VALUE},
	{"clCreateSubDevices", "cannot be parted",
	 [](objects &o) {
		 const cl_device_partition_property p[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
		 return clCreateSubDevices(o.device, p, 1, &o.device, nullptr);
	 },
	 CL_INVALID_VALUE},
	{"clCreateContext", "no devices",
	 [](objects &o) {
		 return code_of([&](cl_int *e) { return clCreateContext(nullptr, 0, &o.device, nullptr, nullptr, e); });
	 },
	 CL_INVALID_VALUE},
	{"clCreateContext", "data without function",
	 [](objects &o) {
		 return code_of([&](cl_int *e) { return clCreateContext(nullptr, 1, &o.device, nullptr, &o, e); });
	 },
	 CL_INVALID_VALUE},
	{"clCreateContext", "unknown property",
	 [](objects &o) {
		 const cl_context_properties p[] = {12345, 0, 0};
		 return code_of([&](cl_int *e) { return clCreateContext(p, 1, &o.device, nullptr, nullptr, e); });
	 },
	 CL_INVALID_PROPERTY},
	{"clCreateContextFromType", "none of that type",
	 [](objects &o) {
		 const cl_context_properties p[] = {CL_CONTEXT_PLATFORM, cl_context_properties(o.fx.platform), 0};
		 return code_of([&](cl_int *e) {
			 return clCreateContextFromType(p, CL_DEVICE_TYPE_CUSTOM, nullptr, nullptr, e);
		 });
	 },
	 CL_DEVICE_NOT_FOUND},
	{"clGetContextInfo", "unknown question",
	 [](objects &o) { return clGetContextInfo(o.context, 1, 0, nullptr, &o.size); }, CL_INVALID_VALUE},
	{"clCreateCommandQueue", "unknown property",
	 [](objects &o) {
		 return code_of([&](cl_int *e) { return clCreateCommandQueue(o.context, o.device, 1 << 20, e); });
	 },
	 CL_INVALID_VALUE},
	{"clCreateCommandQueue", "null device",
	 [](objects &o) { return code_of([&](cl_int *e) { return clCreateCommandQueue(o.context, nullptr, 0, e); }); },
	 CL_INVALID_DEVICE},
	{"clCreateCommandQueueWithProperties", "a device's queue",
	 [](objects &o) {
		 const cl_queue_properties p[] = {CL_QUEUE_PROPERTIES,
						  CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
		 return code_of(
			 [&](cl_int *e) { return clCreateCommandQueueWithProperties(o.context, o.device, p, e); });
	 },
	 CL_INVALID_QUEUE_PROPERTIES},
	{"clGetCommandQueueInfo", "size of a host's queue",
	 [](objects &o) { return clGetCommandQueueInfo(o.queue, CL_QUEUE_SIZE, 4, &o.number, nullptr); },
	 CL_INVALID_COMMAND_QUEUE},
	{"clCreateSampler", "unknown mode",
	 [](objects &o) {
		 return code_of([&](cl_int *e) { return clCreateSampler(o.context, CL_TRUE, 1, CL_FILTER_LINEAR, e); });
	 },
	 CL_INVALID_VALUE},
	{"clCreateImage", "host pointer of no use",
	 [](objects &o) {
		 const cl_image_format f = {CL_RGBA, CL_FLOAT};
		 cl_image_desc d = {};
		 d.image_type = CL_MEM_OBJECT_IMAGE2D;
		 d.image_width = d.image_height = 4;
		 return code_of([&](cl_int *e) { return clCreateImage(o.context, 0, &f, &d, o.bytes, e); });
	 },
	 CL_INVALID_HOST_PTR},
	{"clCreateImage", "unknown format",
	 [](objects &o) {
		 const cl_image_format f = {CL_RGBA, CL_UNORM_SHORT_565};
		 cl_image_desc d = {};
		 d.image_type = CL_MEM_OBJECT_IMAGE2D;
		 d.image_width = d.image_height = 4;
		 return code_of([&](cl_int *e) { return clCreateImage(o.context, 0, &f, &d, nullptr, e); });
	 },
	 CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
	{"clCreateImage", "no texels",
	 [](objects &o) {
		 const cl_image_format f = {CL_RGBA, CL_FLOAT};
		 cl_image_desc d = {};
		 d.image_type = CL_MEM_OBJECT_IMAGE2D;
		 d.image_width = 4;
		 return code_of([&](cl_int *e) { return clCreateImage(o.context, 0, &f, &d, nullptr, e); });
	 },
	 CL_INVALID_IMAGE_DESCRIPTOR},
	{"clEnqueueReadImage", "a buffer",
	 [](objects &o) {
		 return clEnqueueReadImage(o.queue, o.buffer, CL_TRUE, o.origin, o.region, 0, 0, o.bytes, 0, nullptr,
					   nullptr);
	 },
	 CL_INVALID_MEM_OBJECT},
	{"clCreatePipe", "no pipes",
	 [](objects &o) { return code_of([&](cl_int *e) { return clCreatePipe(o.context, 0, 4, 4, nullptr, e); }); },
	 CL_INVALID_OPERATION},
	{"clEnqueueSVMMemcpy", "no shared virtual memory",
	 [](objects &o) { return clEnqueueSVMMemcpy(o.queue, CL_TRUE, o.bytes, o.bytes + 8, 8, 0, nullptr, nullptr); },
	 CL_INVALID_OPERATION},
	{"clSetKernelArgSVMPointer", "no shared virtual memory",
	 [](objects &o) { return clSetKernelArgSVMPointer(o.kernel, 0, o.bytes); }, CL_INVALID_OPERATION},
	{"clCreateProgramWithIL", "no intermediate language",
	 [](objects &o) { return code_of([&](cl_int *e) { return clCreateProgramWithIL(o.context, o.bytes, 8, e); }); },
	 CL_INVALID_OPERATION},
};

const row memory_rows[] = {
	{"clCreateBuffer", "no bytes", [](objects &o) { return o.create(0, 0, nullptr); }, CL_INVALID_BUFFER_SIZE},
	{"clCreateBuffer", "too many bytes", [](objects &o) { return o.create(0, o.most, nullptr); },
	 CL_INVALID_BUFFER_SIZE},
	{"clCreateBuffer", "two kinds of access",
	 [](objects &o) { return o.create(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, n, nullptr); }, CL_INVALID_VALUE},
	{"clCreateBuffer", "used and copied",
	 [](objects &o) { return o.create(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, n, o.bytes); }, CL_INVALID_VALUE},
	{"clCreateBuffer", "two kinds of host access",
	 [](objects &o) { return o.create(CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, n, nullptr); },
	 CL_INVALID_VALUE},
	{"clCreateBuffer", "null host pointer", [](objects &o) { return o.create(CL_MEM_USE_HOST_PTR, n, nullptr); },
	 CL_INVALID_HOST_PTR},
	{"clCreateBuffer", "host pointer of no use", [](objects &o) { return o.create(0, n, o.bytes); },
	 CL_INVALID_HOST_PTR},
	{"clCreateBufferWithProperties", "unknown property",
	 [](objects &o) {
		 const cl_mem_properties p[] = {77, 1, 0};
		 return code_of(
			 [&](cl_int *e) { return clCreateBufferWithProperties(o.context, p, 0, n, nullptr, e); });
	 },
	 CL_INVALID_PROPERTY},
	{"clCreateSubBuffer", "no bytes", [](objects &o) { return o.part(o.buffer, 0, 0, 0); }, CL_INVALID_BUFFER_SIZE},
	{"clCreateSubBuffer", "outside", [](objects &o) { return o.part(o.buffer, 0, 0, n + 1); }, CL_INVALID_VALUE},
	{"clCreateSubBuffer", "misaligned", [](objects &o) { return o.part(o.buffer, 0, 1, 8); },
	 CL_MISALIGNED_SUB_BUFFER_OFFSET},
	{"clCreateSubBuffer", "more access than the whole",
	 [](objects &o) { return o.part(o.to_host, CL_MEM_WRITE_ONLY, 0, 8); }, CL_INVALID_VALUE},
	{"clCreateSubBuffer", "more host access than the whole",
	 [](objects &o) { return o.part(o.private_one, CL_MEM_HOST_READ_ONLY, 0, 8); }, CL_INVALID_VALUE},
	{"clCreateSubBuffer", "pointer use", [](objects &o) { return o.part(o.buffer, CL_MEM_ALLOC_HOST_PTR, 0, 8); },
	 CL_INVALID_VALUE},
	{"clSetMemObjectDestructorCallback", "null function",
	 [](objects &o) { return clSetMemObjectDestructorCallback(o.buffer, nullptr, nullptr); }, CL_INVALID_VALUE},
	{"clGetMemObjectInfo", "released",
	 [](objects &o) { return clGetMemObjectInfo(o.gone, CL_MEM_SIZE, 8, &o.size, nullptr); },
	 CL_INVALID_MEM_OBJECT},
	{"clGetImageInfo", "no image",
	 [](objects &o) { return clGetImageInfo(o.buffer, CL_IMAGE_WIDTH, 8, &o.size, nullptr); },
	 CL_INVALID_MEM_OBJECT},
	{"clEnqueueReadBuffer", "null pointer",
	 [](objects &o) { return clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, 0, 8, nullptr, 0, nullptr, nullptr); },
	 CL_INVALID_VALUE},
	{"clEnqueueReadBuffer", "outside",
	 [](objects &o) {
		 return clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, n - 4, 8, o.bytes, 0, nullptr, nullptr);
	 },
	 CL_INVALID_VALUE},
	{"clEnqueueReadBuffer", "outside beyond all numbers",
	 [](objects &o) {
		 return clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, o.most, 8, o.bytes, 0, nullptr, nullptr);
	 },
	 CL_INVALID_VALUE},
	{"clEnqueueReadBuffer", "null buffer",
	 [](objects &o) { return clEnqueueReadBuffer(o.queue, nullptr, CL_TRUE, 0, 8, o.bytes, 0, nullptr, nullptr); },
	 CL_INVALID_MEM_OBJECT},
	{"clEnqueueReadBuffer", "released buffer",
	 [](objects &o) { return clEnqueueReadBuffer(o.queue, o.gone, CL_TRUE, 0, 8, o.bytes, 0, nullptr, nullptr); },
	 CL_INVALID_MEM_OBJECT},
	{"clEnqueueReadBuffer", "another context's buffer",
	 [](objects &o) {
		 return clEnqueueReadBuffer(o.queue, o.other_buffer, CL_TRUE, 0, 8, o.bytes, 0, nullptr, nullptr);
	 },
	 CL_INVALID_CONTEXT},
	{"clEnqueueReadBuffer", "another context's event",
	 [](objects &o) {
		 return clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, 0, 8, o.bytes, 1, &o.other_event, nullptr);
	 },
	 CL_INVALID_CONTEXT},
	{"clEnqueueReadBuffer", "events at null",
	 [](objects &o) { return clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, 0, 8, o.bytes, 1, nullptr, nullptr); },
	 CL_INVALID_EVENT_WAIT_LIST},
	{"clEnqueueReadBuffer", "no events somewhere",
	 [](objects &o) { return clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, 0, 8, o.bytes, 0, &o.done, nullptr); },
	 CL_INVALID_EVENT_WAIT_LIST},
	{"clEnqueueReadBuffer", "null event",
	 [](objects &o) {
		 const cl_event none = nullptr;
		 return clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, 0, 8, o.bytes, 1, &none, nullptr);
	 },
	 CL_INVALID_EVENT_WAIT_LIST},
	{"clEnqueueReadBuffer", "the host may only write",
	 [](objects &o) {
		 return clEnqueueReadBuffer(o.queue, o.from_host, CL_TRUE, 0, 8, o.bytes, 0, nullptr, nullptr);
	 },
	 CL_INVALID_OPERATION},
	{"clEnqueueWriteBuffer", "the host may only read",
	 [](objects &o) {
		 return clEnqueueWriteBuffer(o.queue, o.to_host, CL_TRUE, 0, 8, o.bytes, 0, nullptr, nullptr);
	 },
	 CL_INVALID_OPERATION},
	{"clEnqueueWriteBuffer", "no access of the host's",
	 [](objects &o) {
		 return clEnqueueWriteBuffer(o.queue, o.private_one, CL_TRUE, 0, 8, o.bytes, 0, nullptr, nullptr);
	 },
	 CL_INVALID_OPERATION},
	{"clEnqueueWriteBuffer", "outside",
	 [](objects &o) {
		 return clEnqueueWriteBuffer(o.queue, o.buffer, CL_TRUE, 1, n, o.bytes, 0, nullptr, nullptr);
	 },
	 CL_INVALID_VALUE},
	{"clEnqueueCopyBuffer", "overlap",
	 [](objects &o) { return clEnqueueCopyBuffer(o.queue, o.buffer, o.buffer, 0, 4, 8, 0, nullptr, nullptr); },
	 CL_MEM_COPY_OVERLAP},
	{"clEnqueueCopyBuffer", "outside",
	 [](objects &o) { return clEnqueueCopyBuffer(o.queue, o.buffer, o.to_host, 0, n - 4, 8, 0, nullptr, nullptr); },
	 CL_INVALID_VALUE},
	{"clEnqueueCopyBuffer", "another context's buffer",
	 [](objects &o) {
		 return clEnqueueCopyBuffer(o.queue, o.buffer, o.other_buffer, 0, 0, 8, 0, nullptr, nullptr);
	 },
	 CL_INVALID_CONTEXT},
	{"clEnqueueFillBuffer", "a pattern of 3 bytes",
	 [](objects &o) { return clEnqueueFillBuffer(o.queue, o.buffer, o.bytes, 3, 0, 9, 0, nullptr, nullptr); },
	 CL_INVALID_VALUE},
	{"clEnqueueFillBuffer", "no multiple",
	 [](objects &o) { return clEnqueueFillBuffer(o.queue, o.buffer, o.bytes, 4, 0, 9, 0, nullptr, nullptr); },
	 CL_INVALID_VALUE},
	{"clEnqueueFillBuffer", "null pattern",
	 [](objects &o) { return clEnqueueFillBuffer(o.queue, o.buffer, nullptr, 4, 0, 8, 0, nullptr, nullptr); },
	 CL_INVALID_VALUE},
	{"clEnqueueCopyBufferRect", "overlap",
	 [](objects &o) {
		 const size_t beside[3] = {4, 1, 0};
		 return o.copy_rect(o.buffer, o.buffer, o.origin, beside, o.region, 64);
	 },
	 CL_MEM_COPY_OVERLAP},
	{"clEnqueueCopyBufferRect", "empty",
	 [](objects &o) { return o.copy_rect(o.buffer, o.to_host, o.origin, o.origin, o.flat, 64); }, CL_INVALID_VALUE},
	{"clEnqueueCopyBufferRect", "rows run into each other",
	 [](objects &o) { return o.copy_rect(o.buffer, o.to_host, o.origin, o.origin, o.region, 7); },
	 CL_INVALID_VALUE},
	{"clEnqueueCopyBufferRect", "outside",
	 [](objects &o) { return o.copy_rect(o.buffer, o.to_host, o.origin, o.origin, o.region, n); },
	 CL_INVALID_VALUE},
	{"clEnqueueReadBufferRect", "null pointer",
	 [](objects &o) {
		 return clEnqueueReadBufferRect(o.queue, o.buffer, CL_TRUE, o.origin, o.origin, o.region, 0, 0, 0, 0,
						nullptr, 0, nullptr, nullptr);
	 },
	 CL_INVALID_VALUE},
	{"clEnqueueWriteBufferRect", "the host may only read",
	 [](objects &o) {
		 return clEnqueueWriteBufferRect(o.queue, o.to_host, CL_TRUE, o.origin, o.origin, o.region, 0, 0, 0, 0,
						 o.bytes, 0, nullptr, nullptr);
	 },
	 CL_INVALID_OPERATION},
	{"clEnqueueMapBuffer", "no bytes", [](objects &o) { return o.map(o.buffer, CL_MAP_READ, 0, 0); },
	 CL_INVALID_VALUE},
	{"clEnqueueMapBuffer", "outside", [](objects &o) { return o.map(o.buffer, CL_MAP_READ, n, 1); },
	 CL_INVALID_VALUE},
	{"clEnqueueMapBuffer", "read and invalidated",
	 [](objects &o) { return o.map(o.buffer, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 8); },
	 CL_INVALID_VALUE},
	{"clEnqueueMapBuffer", "the host may only write",
	 [](objects &o) { return o.map(o.from_host, CL_MAP_READ, 0, 8); }, CL_INVALID_OPERATION},
	{"clEnqueueMapBuffer", "the host may only read",
	 [](objects &o) { return o.map(o.to_host, CL_MAP_WRITE, 0, 8); }, CL_INVALID_OPERATION},
	{"clEnqueueUnmapMemObject", "nothing mapped there",
	 [](objects &o) { return clEnqueueUnmapMemObject(o.queue, o.buffer, o.bytes, 0, nullptr, nullptr); },
	 CL_INVALID_VALUE},
	{"clEnqueueMigrateMemObjects", "nothing",
	 [](objects &o) { return clEnqueueMigrateMemObjects(o.queue, 0, nullptr, 0, 0, nullptr, nullptr); },
	 CL_INVALID_VALUE},
	{"clEnqueueMigrateMemObjects", "unknown flag",
	 [](objects &o) { return clEnqueueMigrateMemObjects(o.queue, 1, &o.buffer, 8, 0, nullptr, nullptr); },
	 CL_INVALID_VALUE},
};

const row program_rows[] = {
	{"clCreateProgramWithSource", "no texts",
	 [](objects &o) {
		 return code_of(
			 [&](cl_int *e) { return clCreateProgramWithSource(o.context, 0, nullptr, nullptr, e); });
	 },
	 CL_INVALID_VALUE},
	{"clCreateProgramWithSource", "null text",
	 [](objects &o) {
		 const char *texts[] = {source, nullptr};
		 return code_of([&](cl_int *e) { return clCreateProgramWithSource(o.context, 2, texts, nullptr, e); });
	 },
	 CL_INVALID_VALUE},
	{"clCreateProgramWithBuiltInKernels", "there are none",
	 [](objects &o) {
		 return code_of([&](cl_int *e) {
			 return clCreateProgramWithBuiltInKernels(o.context, 1, &o.device, "none", e);
		 });
	 },
	 CL_INVALID_VALUE},
	{"clBuildProgram", "devices at null",
	 [](objects &o) { return clBuildProgram(o.unbuilt, 1, nullptr, "", nullptr, nullptr); }, CL_INVALID_VALUE},
	{"clBuildProgram", "null device",
	 [](objects &o) {
		 const cl_device_id none = nullptr;
		 return clBuildProgram(o.unbuilt, 1, &none, "", nullptr, nullptr);
	 },
	 CL_INVALID_DEVICE},
	{"clBuildProgram", "data without function",
	 [](objects &o) { return clBuildProgram(o.unbuilt, 0, nullptr, "", nullptr, &o); }, CL_INVALID_VALUE},
	{"clBuildProgram", "unknown option",
	 [](objects &o) { return clBuildProgram(o.unbuilt, 0, nullptr, "-what", nullptr, nullptr); },
	 CL_INVALID_BUILD_OPTIONS},
	{"clBuildProgram", "it has kernels",
	 [](objects &o) { return clBuildProgram(o.program, 0, nullptr, "", nullptr, nullptr); }, CL_INVALID_OPERATION},
	{"clBuildProgram", "it was linked",
	 [](objects &o) {
		 cl_int err = CL_SUCCESS;
		 const char *text = "int three(void) { return 3; }";
		 cl_program part = clCreateProgramWithSource(o.context, 1, &text, nullptr, &err);
		 OK(clCompileProgram(part, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
		 cl_program linked = clLinkProgram(o.context, 0, nullptr, "", 1, &part, nullptr, nullptr, &err);
		 OK(err);
		 const cl_int said = clBuildProgram(linked, 0, nullptr, "", nullptr, nullptr);
		 OK(clReleaseProgram(linked));
		 OK(clReleaseProgram(part));
		 return said;
	 },
	 CL_INVALID_OPERATION},
	{"clCompileProgram", "unknown option",
	 [](objects &o) {
		 return clCompileProgram(o.unbuilt, 0, nullptr, "-what", 0, nullptr, nullptr, nullptr, nullptr);
	 },
	 CL_INVALID_COMPILER_OPTIONS},
	{"clCompileProgram", "headers without names",
	 [](objects &o) {
		 return clCompileProgram(o.unbuilt, 0, nullptr, "", 1, &o.program, nullptr, nullptr, nullptr);
	 },
	 CL_INVALID_VALUE},
	{"clLinkProgram", "unknown option",
	 [](objects &o) {
		 return code_of([&](cl_int *e) {
			 return clLinkProgram(o.context, 0, nullptr, "-what", 1, &o.unbuilt, nullptr, nullptr, e);
		 });
	 },
	 CL_INVALID_LINKER_OPTIONS},
	{"clLinkProgram", "nothing compiled",
	 [](objects &o) {
		 return code_of([&](cl_int *e) {
			 return clLinkProgram(o.context, 0, nullptr, "", 1, &o.unbuilt, nullptr, nullptr, e);
		 });
	 },
	 CL_INVALID_OPERATION},
	{"clLinkProgram", "no programs",
	 [](objects &o) {
		 return code_of([&](cl_int *e) {
			 return clLinkProgram(o.context, 0, nullptr, "", 0, nullptr, nullptr, nullptr, e);
		 });
	 },
	 CL_INVALID_VALUE},
	{"clGetProgramInfo", "names of what is not built",
	 [](objects &o) { return clGetProgramInfo(o.unbuilt, CL_PROGRAM_KERNEL_NAMES, n, o.bytes, nullptr); },
	 CL_INVALID_PROGRAM_EXECUTABLE},
	{"clGetProgramBuildInfo", "null device",
	 [](objects &o) {
		 return clGetProgramBuildInfo(o.program, nullptr, CL_PROGRAM_BUILD_LOG, n, o.bytes, nullptr);
	 },
	 CL_INVALID_DEVICE},
	{"clCreateKernel", "not built",
	 [](objects &o) { return code_of([&](cl_int *e) { return clCreateKernel(o.unbuilt, "k", e); }); },
	 CL_INVALID_PROGRAM_EXECUTABLE},
	{"clCreateKernel", "unknown name",
	 [](objects &o) { return code_of([&](cl_int *e) { return clCreateKernel(o.program, "x", e); }); },
	 CL_INVALID_KERNEL_NAME},
	{"clCreateKernel", "null name",
	 [](objects &o) { return code_of([&](cl_int *e) { return clCreateKernel(o.program, nullptr, e); }); },
	 CL_INVALID_VALUE},
	{"clCreateKernelsInProgram", "too little room",
	 [](objects &o) {
		 cl_kernel k;
		 return clCreateKernelsInProgram(o.program, 1, &k, nullptr);
	 },
	 CL_INVALID_VALUE},
	{"clSetKernelArg", "no such argument", [](objects &o) { return clSetKernelArg(o.unset, 3, 4, o.bytes); },
	 CL_INVALID_ARG_INDEX},
	{"clSetKernelArg", "a buffer of another size",
	 [](objects &o) { return clSetKernelArg(o.unset, 0, 4, &o.buffer); }, CL_INVALID_ARG_SIZE},
	{"clSetKernelArg", "a released buffer", [](objects &o) { return clSetKernelArg(o.unset, 0, 8, &o.gone); },
	 CL_INVALID_MEM_OBJECT},
	{"clSetKernelArg", "a kernel for a buffer", [](objects &o) { return clSetKernelArg(o.unset, 0, 8, &o.kernel); },
	 CL_INVALID_MEM_OBJECT},
	{"clSetKernelArg", "a value at null", [](objects &o) { return clSetKernelArg(o.unset, 1, 4, nullptr); },
	 CL_INVALID_ARG_VALUE},
	{"clSetKernelArg", "a value of another size", [](objects &o) { return clSetKernelArg(o.unset, 1, 8, o.bytes); },
	 CL_INVALID_ARG_SIZE},
	{"clSetKernelArg", "local memory with bytes", [](objects &o) { return clSetKernelArg(o.unset, 2, 8, o.bytes); },
	 CL_INVALID_ARG_VALUE},
	{"clSetKernelArg", "no local memory", [](objects &o) { return clSetKernelArg(o.unset, 2, 0, nullptr); },
	 CL_INVALID_ARG_SIZE},
	{"clGetKernelArgInfo", "no such argument",
	 [](objects &o) { return clGetKernelArgInfo(o.kernel, 3, CL_KERNEL_ARG_NAME, n, o.bytes, nullptr); },
	 CL_INVALID_ARG_INDEX},
	{"clGetKernelWorkGroupInfo", "unknown question",
	 [](objects &o) { return clGetKernelWorkGroupInfo(o.kernel, o.device, 1, n, o.bytes, nullptr); },
	 CL_INVALID_VALUE},
	{"clEnqueueNDRangeKernel", "arguments not set",
	 [](objects &o) { return o.launch(o.unset, 1, nullptr, &o.one, nullptr); }, CL_INVALID_KERNEL_ARGS},
	{"clEnqueueNDRangeKernel", "no dimensions",
	 [](objects &o) { return o.launch(o.kernel, 0, nullptr, &o.one, nullptr); }, CL_INVALID_WORK_DIMENSION},
	{"clEnqueueNDRangeKernel", "four dimensions",
	 [](objects &o) { return o.launch(o.kernel, 4, nullptr, &o.one, nullptr); }, CL_INVALID_WORK_DIMENSION},
	{"clEnqueueNDRangeKernel", "ids beyond all numbers",
	 [](objects &o) { return o.launch(o.kernel, 1, &o.most, &o.four_items, nullptr); }, CL_INVALID_GLOBAL_OFFSET},
	{"clEnqueueNDRangeKernel", "a group of no items",
	 [](objects &o) { return o.launch(o.kernel, 1, nullptr, &o.one, &o.zero); }, CL_INVALID_WORK_GROUP_SIZE},
	{"clEnqueueNDRangeKernel", "too large a group",
	 [](objects &o) { return o.launch(o.kernel, 1, nullptr, &o.huge, &o.huge); }, CL_INVALID_WORK_ITEM_SIZE},
	{"clEnqueueNDRangeKernel", "a smaller last group",
	 [](objects &o) { return o.launch(o.kernel, 1, nullptr, &o.four_items, &o.three); },
	 CL_INVALID_WORK_GROUP_SIZE},
	{"clEnqueueNDRangeKernel", "another group than is required",
	 [](objects &o) { return o.launch(o.four, 1, nullptr, &o.four_items, &o.one); }, CL_INVALID_WORK_GROUP_SIZE},
	{"clEnqueueNDRangeKernel", "another context's queue",
	 [](objects &o) {
		 return clEnqueueNDRangeKernel(o.other_queue, o.kernel, 1, nullptr, &o.one, nullptr, 0, nullptr,
					       nullptr);
	 },
	 CL_INVALID_CONTEXT},
	{"clEnqueueNDRangeKernel", "null kernel",
	 [](objects &o) { return o.launch(nullptr, 1, nullptr, &o.one, nullptr); }, CL_INVALID_KERNEL},
	{"clEnqueueNativeKernel", "null function",
	 [](objects &o) {
		 return clEnqueueNativeKernel(o.queue, nullptr, o.bytes, 8, 0, nullptr, nullptr, 0, nullptr, nullptr);
	 },
	 CL_INVALID_VALUE},
	{"clEnqueueNativeKernel", "a size without bytes",
	 [](objects &o) {
		 return clEnqueueNativeKernel(
			 o.queue, [](void *) {}, nullptr, 8, 0, nullptr, nullptr, 0, nullptr, nullptr);
	 },
	 CL_INVALID_VALUE},
};

const row event_rows[] = {
	{"clWaitForEvents", "no events", [](objects &) { return clWaitForEvents(0, nullptr); }, CL_INVALID_VALUE},
	{"clWaitForEvents", "two contexts",
	 [](objects &o) {
		 const cl_event both[] = {o.done, o.other_event};
		 return clWaitForEvents(2, both);
	 },
	 CL_INVALID_CONTEXT},
	{"clGetEventInfo", "unknown question",
	 [](objects &o) { return clGetEventInfo(o.done, 1, n, o.bytes, nullptr); }, CL_INVALID_VALUE},
	{"clGetEventProfilingInfo", "a user event",
	 [](objects &o) { return clGetEventProfilingInfo(o.user, CL_PROFILING_COMMAND_END, 8, o.bytes, nullptr); },
	 CL_PROFILING_INFO_NOT_AVAILABLE},
	{"clGetEventProfilingInfo", "a queue that does not measure",
	 [](objects &o) { return clGetEventProfilingInfo(o.timeless, CL_PROFILING_COMMAND_END, 8, o.bytes, nullptr); },
	 CL_PROFILING_INFO_NOT_AVAILABLE},
	{"clGetEventProfilingInfo", "unknown question",
	 [](objects &o) { return clGetEventProfilingInfo(o.done, 1, 8, o.bytes, nullptr); }, CL_INVALID_VALUE},
	{"clSetUserEventStatus", "a command's event",
	 [](objects &o) { return clSetUserEventStatus(o.done, CL_COMPLETE); }, CL_INVALID_EVENT},
	{"clSetUserEventStatus", "running", [](objects &o) { return clSetUserEventStatus(o.user, CL_RUNNING); },
	 CL_INVALID_VALUE},
	{"clSetEventCallback", "null function",
	 [](objects &o) { return clSetEventCallback(o.done, CL_COMPLETE, nullptr, nullptr); }, CL_INVALID_VALUE},
	{"clSetEventCallback", "queued",
	 [](objects &o) { return clSetEventCallback(o.done, CL_QUEUED, ignore, nullptr); }, CL_INVALID_VALUE},
	{"clEnqueueMarker", "no place for the event", [](objects &o) { return clEnqueueMarker(o.queue, nullptr); },
	 CL_INVALID_VALUE},
	{"clEnqueueWaitForEvents", "no events", [](objects &o) { return clEnqueueWaitForEvents(o.queue, 0, nullptr); },
	 CL_INVALID_VALUE},
	{"clEnqueueBarrierWithWaitList", "another context's event",
	 [](objects &o) { return clEnqueueBarrierWithWaitList(o.queue, 1, &o.other_event, nullptr); },
	 CL_INVALID_CONTEXT},
};

template <size_t count> void check_rows(fixture &fx, const row (&rows)[count])
{
	objects o(fx);
	unsigned wrong = 0;
	for (const row &r : rows)
		wrong += !has_code(std::string(r.call) + ", " + r.fault, r.run(o), r.code);
	CHECK_EQ(wrong, 0u);
	OK(clFinish(fx.queue));
}

} // namespace

TEST(faults_with_platform_and_contexts)
{
	check_rows(fx, objects_rows);
}

TEST(faults_with_memory)
{
	check_rows(fx, memory_rows);
}

TEST(faults_with_programs)
{
	check_rows(fx, program_rows);
}

TEST(faults_with_events)
{
	check_rows(fx, event_rows);
}
