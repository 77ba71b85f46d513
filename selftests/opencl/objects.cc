// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Counts of references, and what is told of objects.
#include "test.h"

#include <algorithm>

using namespace cltest;

namespace
{

constexpr char source[] = "kernel void one(global int *a) { a[0] = 1; }\n"
			  "kernel void two(global const float *restrict from, local int *l, uint2 v) { }\n";

template <class O> void check_count(O o, cl_int (*retain)(O), cl_int (*release)(O), cl_uint (*count)(O))
{
	CHECK_EQ(count(o), 1u);
	OK(retain(o));
	OK(retain(o));
	CHECK_EQ(count(o), 3u);
	OK(release(o));
	CHECK_EQ(count(o), 2u);
	OK(release(o));
	CHECK_EQ(count(o), 1u);
}

void note_end(cl_mem, void *arg)
{
	static_cast<std::vector<int> *>(arg)->push_back(1);
}
void note_end_too(cl_mem, void *arg)
{
	static_cast<std::vector<int> *>(arg)->push_back(2);
}
void note_end_of_context(cl_context, void *arg)
{
	++*static_cast<int *>(arg);
}

} // namespace

// Objects that stand on others do not count.
TEST(counts)
{
	cl_int err = CL_SUCCESS;
	cl_context c = clCreateContext(nullptr, 1, &fx.device, nullptr, nullptr, &err);
	OK(err);
	int gone = 0;
	OK(clSetContextDestructorCallback(c, note_end_of_context, &gone));
	cl_command_queue q = clCreateCommandQueue(c, fx.device, 0, &err);
	cl_mem m = clCreateBuffer(c, 0, 1 << 14, nullptr, &err);
	const char *text = source;
	cl_program p = clCreateProgramWithSource(c, 1, &text, nullptr, &err);
	OK(clBuildProgram(p, 0, nullptr, nullptr, nullptr, nullptr));
	cl_kernel k = clCreateKernel(p, "one", &err);
	cl_event e = clCreateUserEvent(c, &err);
	check_count<cl_context>(c, clRetainContext, clReleaseContext, [](cl_context o) {
		return info<cl_uint>(clGetContextInfo, o, CL_CONTEXT_REFERENCE_COUNT);
	});
	check_count<cl_command_queue>(q, clRetainCommandQueue, clReleaseCommandQueue, [](cl_command_queue o) {
		return info<cl_uint>(clGetCommandQueueInfo, o, CL_QUEUE_REFERENCE_COUNT);
	});
	check_count<cl_mem>(m, clRetainMemObject, clReleaseMemObject,
			    [](cl_mem o) { return info<cl_uint>(clGetMemObjectInfo, o, CL_MEM_REFERENCE_COUNT); });
	check_count<cl_program>(p, clRetainProgram, clReleaseProgram, [](cl_program o) {
		return info<cl_uint>(clGetProgramInfo, o, CL_PROGRAM_REFERENCE_COUNT);
	});
	check_count<cl_kernel>(k, clRetainKernel, clReleaseKernel, [](cl_kernel o) {
		return info<cl_uint>(clGetKernelInfo, o, CL_KERNEL_REFERENCE_COUNT);
	});
	check_count<cl_event>(e, clRetainEvent, clReleaseEvent,
			      [](cl_event o) { return info<cl_uint>(clGetEventInfo, o, CL_EVENT_REFERENCE_COUNT); });
	// All go in the worst order, and are seen to have gone.
	OK(clReleaseContext(c));
	CHECK_EQ(clRetainContext(c), CL_INVALID_CONTEXT);
	OK(clReleaseProgram(p));
	CHECK_EQ(gone, 0);
	OK(clReleaseKernel(k));
	CHECK_EQ(clReleaseKernel(k), CL_INVALID_KERNEL);
	OK(clReleaseEvent(e));
	OK(clReleaseMemObject(m));
	CHECK_EQ(clReleaseMemObject(m), CL_INVALID_MEM_OBJECT);
	OK(clReleaseCommandQueue(q));
	CHECK_EQ(gone, 1);
}

TEST(device_is_told)
{
	CHECK(text(clGetDeviceInfo, fx.device, CL_DEVICE_NAME).size() > 1);
	CHECK(text(clGetDeviceInfo, fx.device, CL_DEVICE_VERSION).starts_with("OpenCL "));
	CHECK(info<cl_uint>(clGetDeviceInfo, fx.device, CL_DEVICE_MAX_COMPUTE_UNITS) >= 1);
	CHECK(info<cl_ulong>(clGetDeviceInfo, fx.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) >= 1 << 20);
	CHECK_EQ(info<cl_uint>(clGetDeviceInfo, fx.device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS), 3u);
	size_t sizes[3];
	OK(clGetDeviceInfo(fx.device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, nullptr));
	CHECK(sizes[0] && sizes[1] && sizes[2]);
	size_t n = 0;
	OK(clGetDeviceInfo(fx.device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0, nullptr, &n));
	std::vector<cl_name_version> versions(n / sizeof(cl_name_version));
	OK(clGetDeviceInfo(fx.device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, n, versions.data(), nullptr));
	CHECK(std::any_of(versions.begin(), versions.end(),
			  [](const cl_name_version &v) { return v.version == CL_MAKE_VERSION(1, 2, 0); }));
	// What is absent is told so. Of a conformance suite's version the form is prescribed.
	CHECK(text(clGetDeviceInfo, fx.device, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED) == "v0000-01-01-00");
	CHECK_EQ(info<cl_ulong>(clGetDeviceInfo, fx.device, CL_DEVICE_SVM_CAPABILITIES), 0u);
	CHECK_EQ(clGetDeviceInfo(fx.device, CL_DEVICE_NAME, 1, sizes, nullptr), CL_INVALID_VALUE);
	CHECK_EQ(clGetDeviceInfo(fx.device, 0, 0, nullptr, &n), CL_INVALID_VALUE);
	cl_ulong device = 0, host[2] = {};
	OK(clGetHostTimer(fx.device, &host[0]));
	OK(clGetDeviceAndHostTimer(fx.device, &device, &host[1]));
	CHECK(host[1] >= host[0] && device >= host[0]);
}

// A device that is several has no limit that one of them has not.
TEST(joint_device_has_the_least)
{
	cl_device_id all[16];
	cl_uint n = 0;
	OK(clGetDeviceIDs(fx.platform, CL_DEVICE_TYPE_ALL, 16, all, &n));
	cl_uint units = 0;
	for (cl_uint i = 1; i < n; i++) {
		units += info<cl_uint>(clGetDeviceInfo, all[i], CL_DEVICE_MAX_COMPUTE_UNITS);
		CHECK(info<size_t>(clGetDeviceInfo, all[0], CL_DEVICE_MAX_WORK_GROUP_SIZE) <=
		      info<size_t>(clGetDeviceInfo, all[i], CL_DEVICE_MAX_WORK_GROUP_SIZE));
	}
	CHECK_EQ(info<cl_uint>(clGetDeviceInfo, all[0], CL_DEVICE_MAX_COMPUTE_UNITS), units);
	cl_device_id usual = nullptr;
	OK(clGetDeviceIDs(fx.platform, CL_DEVICE_TYPE_DEFAULT, 1, &usual, nullptr));
	CHECK(usual == all[0]);
}

TEST(context_and_queue_are_told)
{
	const cl_context_properties wanted[] = {CL_CONTEXT_PLATFORM, cl_context_properties(fx.platform), 0};
	cl_int err = CL_SUCCESS;
	cl_context c = clCreateContext(wanted, 1, &fx.device, nullptr, nullptr, &err);
	OK(err);
	cl_context_properties got[3];
	OK(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof got, got, nullptr));
	CHECK(!memcmp(got, wanted, sizeof got));
	CHECK(info<cl_device_id>(clGetContextInfo, c, CL_CONTEXT_DEVICES) == fx.device);
	CHECK_EQ(info<cl_uint>(clGetContextInfo, c, CL_CONTEXT_NUM_DEVICES), 1u);
	const cl_queue_properties asked[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	cl_command_queue q = clCreateCommandQueueWithProperties(c, fx.device, asked, &err);
	OK(err);
	CHECK(info<cl_context>(clGetCommandQueueInfo, q, CL_QUEUE_CONTEXT) == c);
	CHECK(info<cl_device_id>(clGetCommandQueueInfo, q, CL_QUEUE_DEVICE) == fx.device);
	CHECK_EQ(info<cl_command_queue_properties>(clGetCommandQueueInfo, q, CL_QUEUE_PROPERTIES), asked[1]);
	cl_queue_properties told[3];
	OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES_ARRAY, sizeof told, told, nullptr));
	CHECK(!memcmp(told, asked, sizeof told));
	OK(clReleaseCommandQueue(q));
	OK(clReleaseContext(c));
}

TEST(memory_is_told)
{
	std::vector<char> host(1 << 16);
	cl_mem m = fx.buffer(host.size(), CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, host.data());
	CHECK(info<void *>(clGetMemObjectInfo, m, CL_MEM_HOST_PTR) == host.data());
	const size_t align = info<cl_uint>(clGetDeviceInfo, fx.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
	const cl_buffer_region r = {align, 100};
	cl_int err = CL_SUCCESS;
	cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
	OK(err);
	CHECK_EQ(info<size_t>(clGetMemObjectInfo, part, CL_MEM_OFFSET), align);
	CHECK_EQ(info<size_t>(clGetMemObjectInfo, part, CL_MEM_SIZE), 100u);
	CHECK(info<cl_mem>(clGetMemObjectInfo, part, CL_MEM_ASSOCIATED_MEMOBJECT) == m);
	CHECK(info<void *>(clGetMemObjectInfo, part, CL_MEM_HOST_PTR) == host.data() + align);
	CHECK_EQ(info<cl_mem_flags>(clGetMemObjectInfo, part, CL_MEM_FLAGS), CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY);
	CHECK_EQ(info<cl_uint>(clGetMemObjectInfo, m, CL_MEM_MAP_COUNT), 0u);
	void *at = clEnqueueMapBuffer(fx.queue, m, CL_TRUE, CL_MAP_READ, 16, 16, 0, nullptr, nullptr, &err);
	OK(err);
	CHECK(at == host.data() + 16);
	CHECK_EQ(info<cl_uint>(clGetMemObjectInfo, m, CL_MEM_MAP_COUNT), 1u);
	OK(clEnqueueUnmapMemObject(fx.queue, m, at, 0, nullptr, nullptr));
	CHECK_EQ(info<cl_uint>(clGetMemObjectInfo, m, CL_MEM_MAP_COUNT), 0u);
	std::vector<int> ends;
	OK(clSetMemObjectDestructorCallback(m, note_end, &ends));
	OK(clSetMemObjectDestructorCallback(m, note_end_too, &ends));
	OK(clReleaseMemObject(m));
	OK(clFinish(fx.queue));
	CHECK(ends.empty());
	OK(clReleaseMemObject(part));
	CHECK((ends == std::vector{2, 1}));
}

TEST(program_and_kernel_are_told)
{
	cl_program p = fx.build(source, "-D X=1");
	CHECK(text(clGetProgramInfo, p, CL_PROGRAM_SOURCE) == source);
	CHECK(text(clGetProgramInfo, p, CL_PROGRAM_KERNEL_NAMES) == "one;two");
	CHECK_EQ(info<size_t>(clGetProgramInfo, p, CL_PROGRAM_NUM_KERNELS), 2u);
	char options[16] = "";
	OK(clGetProgramBuildInfo(p, fx.device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, nullptr));
	CHECK(!strcmp(options, "-D X=1"));
	cl_kernel both[2];
	cl_uint n = 0;
	OK(clCreateKernelsInProgram(p, 2, both, &n));
	CHECK_EQ(n, 2u);
	const cl_kernel k = both[1];
	CHECK(text(clGetKernelInfo, k, CL_KERNEL_FUNCTION_NAME) == "two");
	CHECK_EQ(info<cl_uint>(clGetKernelInfo, k, CL_KERNEL_NUM_ARGS), 3u);
	char name[16] = "", type[16] = "";
	cl_kernel_arg_address_qualifier where = 0;
	cl_kernel_arg_type_qualifier how = 0;
	OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, sizeof name, name, nullptr));
	OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, nullptr));
	OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof where, &where, nullptr));
	OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof how, &how, nullptr));
	CHECK(!strcmp(name, "from") && !strcmp(type, "float*") && where == CL_KERNEL_ARG_ADDRESS_GLOBAL &&
	      how == (CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT));
	size_t group = 0;
	OK(clGetKernelWorkGroupInfo(k, fx.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, nullptr));
	CHECK(group >= 1);
	// Nothing is built anew under kernels.
	CHECK_EQ(clBuildProgram(p, 0, nullptr, "", nullptr, nullptr), CL_INVALID_OPERATION);
	OK(clReleaseKernel(both[0]));
	OK(clReleaseKernel(both[1]));
	OK(clBuildProgram(p, 0, nullptr, "", nullptr, nullptr));
	OK(clReleaseProgram(p));
}
