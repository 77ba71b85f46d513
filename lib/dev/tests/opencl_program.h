// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A program that uses OpenCL has made this before it comes to libhet: contexts, queues, buffers. Nothing is linked
// against OpenCL, so that the tests start where there is none.
#pragma once

#include "dev/opencl_api.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

namespace het::test
{

// Asks for two devices, and for no diagnostics of the errors that tests provoke. This must come before the first OpenCL
// call of the process.
inline const bool environment_is_set = [] {
	setenv("POCL_DEVICES", "pthread pthread", 0);
	setenv("GPUVM_QUIET", "1", 0);
	return true;
}();

template <typename F> struct cl_function;
template <typename R, typename... A> struct cl_function<R(A...)> {
	explicit cl_function(const char *name) : call(reinterpret_cast<R (*)(A...)>(find_opencl_function(name))) {}
	R operator()(A... args) const { return call(args...); }
	R (*call)(A...);
};

class opencl_program
{
      public:
	cl_function<decltype(clGetPlatformIDs)> get_platform_ids{"clGetPlatformIDs"};
	cl_function<decltype(clGetDeviceIDs)> get_device_ids{"clGetDeviceIDs"};
	cl_function<decltype(clCreateContext)> create_context{"clCreateContext"};
	cl_function<decltype(clReleaseContext)> release_context{"clReleaseContext"};
	cl_function<decltype(clCreateCommandQueue)> create_queue{"clCreateCommandQueue"};
	cl_function<decltype(clReleaseCommandQueue)> release_queue{"clReleaseCommandQueue"};
	cl_function<decltype(clCreateBuffer)> create_buffer{"clCreateBuffer"};
	cl_function<decltype(clCreateImage)> create_image{"clCreateImage"};
	cl_function<decltype(clReleaseMemObject)> release_mem_object{"clReleaseMemObject"};
	cl_function<decltype(clGetMemObjectInfo)> get_mem_object_info{"clGetMemObjectInfo"};
	cl_function<decltype(clCreateUserEvent)> create_user_event{"clCreateUserEvent"};
	cl_function<decltype(clSetUserEventStatus)> set_user_event_status{"clSetUserEventStatus"};
	cl_function<decltype(clReleaseEvent)> release_event{"clReleaseEvent"};
	cl_function<decltype(clGetEventInfo)> get_event_info{"clGetEventInfo"};

	// Returns the devices of the first platform that has any, or none where OpenCL or a driver is missing.
	std::vector<cl_device_id> devices() const
	{
		cl_platform_id platforms[16];
		cl_uint n = 0;
		if (!get_platform_ids.call || get_platform_ids(16, platforms, &n) != CL_SUCCESS)
			return {};
		for (cl_uint i = 0; i < n; i++) {
			cl_device_id ids[16];
			cl_uint found = 0;
			if (get_device_ids(platforms[i], CL_DEVICE_TYPE_ALL, 16, ids, &found) == CL_SUCCESS && found)
				return {ids, ids + found};
		}
		return {};
	}

	cl_context context(const std::vector<cl_device_id> &ids) const
	{
		cl_int err = -1;
		cl_context c = create_context(nullptr, cl_uint(ids.size()), ids.data(), nullptr, nullptr, &err);
		EXPECT_EQ(err, CL_SUCCESS);
		return c;
	}

	cl_command_queue queue(cl_context context, cl_device_id id) const
	{
		cl_int err = -1;
		cl_command_queue q = create_queue(context, id, 0, &err);
		EXPECT_EQ(err, CL_SUCCESS);
		return q;
	}

	cl_mem buffer(cl_context context, size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE,
		      void *host = nullptr) const
	{
		cl_int err = -1;
		cl_mem m = create_buffer(context, flags, size, host, &err);
		EXPECT_EQ(err, CL_SUCCESS);
		return m;
	}

	cl_uint references(cl_mem m) const
	{
		cl_uint n = 0;
		get_mem_object_info(m, CL_MEM_REFERENCE_COUNT, sizeof(n), &n, nullptr);
		return n;
	}

	cl_uint references(cl_event e) const
	{
		cl_uint n = 0;
		get_event_info(e, CL_EVENT_REFERENCE_COUNT, sizeof(n), &n, nullptr);
		return n;
	}
};

// Each test gets one context over the first two devices (or twice the first), with a queue each.
class opencl_test : public testing::Test
{
      protected:
	void SetUp() override
	{
		ids = program.devices();
		if (ids.empty())
			GTEST_SKIP() << "no OpenCL device";
		if (ids.size() == 1)
			ids.push_back(ids[0]);
		ids.resize(2);
		context = program.context(ids[0] == ids[1] ? std::vector{ids[0]} : ids);
		for (int i = 0; i < 2; i++)
			queues[i] = program.queue(context, ids[i]);
	}

	void TearDown() override
	{
		if (!context)
			return;
		for (cl_command_queue q : queues)
			program.release_queue(q);
		program.release_context(context);
	}

	opencl_program program;
	std::vector<cl_device_id> ids;
	cl_context context = nullptr;
	cl_command_queue queues[2] = {};
};

} // namespace het::test
