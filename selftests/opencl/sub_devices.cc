// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The device of several is parted into these.
#include "test.h"

using namespace cltest;

namespace
{

using property = cl_device_partition_property;

std::vector<cl_device_id> part(fixture &fx, cl_device_affinity_domain domain)
{
	const property p[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, property(domain), 0};
	cl_uint n = 0;
	OK(clCreateSubDevices(fx.device, p, 0, nullptr, &n));
	std::vector<cl_device_id> parts(n);
	CHECK_EQ(clCreateSubDevices(fx.device, p, n - 1, parts.data(), nullptr), CL_INVALID_VALUE);
	OK(clCreateSubDevices(fx.device, p, n, parts.data(), nullptr));
	return parts;
}

cl_uint count(cl_device_id d)
{
	return info<cl_uint>(clGetDeviceInfo, d, CL_DEVICE_REFERENCE_COUNT);
}

// The context keeps the device that the program has released.
void run_on(cl_device_id d)
{
	cl_int err = CL_SUCCESS;
	cl_context c = clCreateContext(nullptr, 1, &d, nullptr, nullptr, &err);
	OK(err);
	OK(clReleaseDevice(d));
	cl_command_queue q = clCreateCommandQueue(c, d, 0, &err);
	OK(err);
	const char *source = "kernel void k(global uint *a) { a[get_global_id(0)] = get_global_id(0) * 3; }";
	cl_program p = clCreateProgramWithSource(c, 1, &source, nullptr, &err);
	OK(clBuildProgram(p, 1, &d, nullptr, nullptr, nullptr));
	cl_kernel k = clCreateKernel(p, "k", &err);
	OK(err);
	cl_mem m = clCreateBuffer(c, 0, 4000, nullptr, &err);
	OK(err);
	set(k, 0, m);
	const size_t n = 1000;
	std::vector<cl_uint> a(n);
	OK(clEnqueueNDRangeKernel(q, k, 1, nullptr, &n, nullptr, 0, nullptr, nullptr));
	OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4000, a.data(), 0, nullptr, nullptr));
	for (cl_uint i = 0; i < n; i++)
		CHECK_EQ(a[i], 3 * i);
	CHECK(info<cl_device_id>(clGetContextInfo, c, CL_CONTEXT_DEVICES) == d);
	OK(clReleaseMemObject(m));
	OK(clReleaseKernel(k));
	OK(clReleaseProgram(p));
	OK(clReleaseCommandQueue(q));
	OK(clReleaseContext(c));
	CHECK_EQ(clReleaseDevice(d), CL_INVALID_DEVICE);
}

void check_parts(fixture &fx, const std::vector<cl_device_id> &parts)
{
	cl_uint units = 0;
	for (cl_device_id d : parts) {
		CHECK(info<cl_device_id>(clGetDeviceInfo, d, CL_DEVICE_PARENT_DEVICE) == fx.device);
		cl_device_partition_property how[3];
		OK(clGetDeviceInfo(d, CL_DEVICE_PARTITION_TYPE, sizeof(how), how, nullptr));
		CHECK(how[0] == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN && how[1] == CL_DEVICE_AFFINITY_DOMAIN_NUMA &&
		      !how[2]);
		CHECK_EQ(info<cl_device_partition_property>(clGetDeviceInfo, d, CL_DEVICE_PARTITION_PROPERTIES), 0);
		units += info<cl_uint>(clGetDeviceInfo, d, CL_DEVICE_MAX_COMPUTE_UNITS);
		CHECK_EQ(count(d), 1u);
		OK(clRetainDevice(d));
		CHECK_EQ(count(d), 2u);
		OK(clReleaseDevice(d));
	}
	CHECK_EQ(info<cl_uint>(clGetDeviceInfo, fx.device, CL_DEVICE_MAX_COMPUTE_UNITS), units);
	for (cl_device_id d : parts)
		run_on(d);
}

void check_refusal(fixture &fx, std::initializer_list<property> p)
{
	cl_uint n = 0;
	CHECK_EQ(clCreateSubDevices(fx.device, std::data(p), 0, nullptr, &n), CL_INVALID_VALUE);
}

} // namespace

TEST(sub_devices)
{
	const auto most = info<cl_uint>(clGetDeviceInfo, fx.device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES);
	const auto way = info<cl_device_partition_property>(clGetDeviceInfo, fx.device, CL_DEVICE_PARTITION_PROPERTIES);
	const auto domains =
		info<cl_device_affinity_domain>(clGetDeviceInfo, fx.device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN);
	const bool is_several = text(clGetDeviceInfo, fx.device, CL_DEVICE_NAME).starts_with("2 joint");
	CHECK_EQ(most, is_several ? 2u : 0u);
	CHECK_EQ(way, is_several ? CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN : 0);
	CHECK_EQ(count(fx.device), 1u);
	cl_uint n = 0;
	CHECK_EQ(clCreateSubDevices(fx.device, nullptr, 0, nullptr, &n), CL_INVALID_VALUE);
	check_refusal(fx, {0});
	check_refusal(fx, {CL_DEVICE_PARTITION_EQUALLY, 1, 0});
	check_refusal(fx, {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, 0});
	if (!is_several) {
		CHECK_EQ(domains, 0u);
		return check_refusal(fx, {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0});
	}
	for (cl_device_affinity_domain d :
	     {CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE}) {
		CHECK(domains & d);
		const std::vector<cl_device_id> parts = part(fx, d);
		CHECK_EQ(parts.size(), size_t(most));
		check_parts(fx, parts);
	}
}
