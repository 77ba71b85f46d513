// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// One device of several has no images. As PoCL's all have, the last one is made to deny it.
#include "driver_table.h"
#include "test.h"

using namespace cltest;

namespace
{

constexpr char source[] = R"(
#ifdef __IMAGE_SUPPORT__
#define HAS 1
#else
#define HAS 0
#endif
kernel void has_images(global uint *out)
{
	out[0] = HAS;
}
)";
constexpr char with_image[] = R"(
kernel void copy(read_only image1d_t from, global uint *to)
{
	to[0] = read_imageui(from, 0).x;
}
)";
constexpr size_t zero[3] = {0, 0, 0}, extent[3] = {16, 1, 1};

decltype(cl_icd_dispatch::clGetDeviceInfo) driver_info;
cl_device_id denying;

cl_int CL_API_CALL denying_info(cl_device_id d, cl_device_info what, size_t room, void *value, size_t *size)
{
	const cl_int err = driver_info(d, what, room, value, size);
	if (!err && d == denying && what == CL_DEVICE_IMAGE_SUPPORT && value)
		*static_cast<cl_bool *>(value) = CL_FALSE;
	return err;
}

void deny_images()
{
	const driver below;
	cl_device_id devices[4];
	cl_uint n = 0;
	if (!below.platform || below.table->clGetDeviceIDs(below.platform, CL_DEVICE_TYPE_ALL, 4, devices, &n) || n < 2)
		return;
	denying = devices[n - 1];
	driver_info = below.table->clGetDeviceInfo;
	below.table->clGetDeviceInfo = denying_info;
}

// The devices of a context: that of all, those that have images, and one that has none. It is empty without the driver.
std::vector<cl_device_id> all_devices(const fixture &fx)
{
	cl_device_id ids[8];
	cl_uint n = 0;
	OK(clGetDeviceIDs(fx.platform, CL_DEVICE_TYPE_ALL, 8, ids, &n));
	return denying ? std::vector(ids, ids + n) : std::vector<cl_device_id>();
}

bool has_images(cl_device_id d)
{
	return info<cl_bool>(clGetDeviceInfo, d, CL_DEVICE_IMAGE_SUPPORT);
}

cl_mem line(cl_context c)
{
	const cl_image_format f = {CL_R, CL_UNSIGNED_INT32};
	cl_image_desc d = {};
	d.image_type = CL_MEM_OBJECT_IMAGE1D;
	d.image_width = extent[0];
	cl_int err = CL_SUCCESS;
	cl_mem m = clCreateImage(c, CL_MEM_READ_WRITE, &f, &d, nullptr, &err);
	OK(err);
	return m;
}

cl_kernel kernel_of(cl_context c, const char *text, const char *name, const std::vector<cl_device_id> &devices)
{
	cl_int err = CL_SUCCESS;
	cl_program p = clCreateProgramWithSource(c, 1, &text, nullptr, &err);
	OK(err);
	OK(clBuildProgram(p, cl_uint(devices.size()), devices.data(), "", nullptr, nullptr));
	cl_kernel k = clCreateKernel(p, name, &err);
	OK(err);
	OK(clReleaseProgram(p));
	return k;
}

} // namespace

// What a kernel is told is what its own device says, whatever others there are. Its driver speaks for a device alone.
TEST(kernels_of_several_devices_are_told_of_images, deny_images)
{
	const std::vector<cl_device_id> devices = all_devices(fx);
	if (devices.empty())
		return;
	CHECK(!has_images(devices.front()) && has_images(devices[1]) && !has_images(devices.back()));
	cl_int err = CL_SUCCESS;
	cl_context c = clCreateContext(nullptr, cl_uint(devices.size()), devices.data(), nullptr, nullptr, &err);
	OK(err);
	cl_kernel k = kernel_of(c, source, "has_images", devices);
	cl_mem out = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof(cl_uint), nullptr, &err);
	OK(err);
	set(k, 0, out);
	for (cl_device_id d : {devices.front(), devices[1]}) {
		cl_command_queue q = clCreateCommandQueue(c, d, 0, &err);
		OK(err);
		const size_t one = 1;
		cl_uint told = 2;
		OK(clEnqueueNDRangeKernel(q, k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr));
		OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof(told), &told, 0, nullptr, nullptr));
		CHECK_EQ(told, cl_uint{has_images(d)});
		OK(clReleaseCommandQueue(q));
	}
	OK(clReleaseMemObject(out));
	OK(clReleaseKernel(k));
	OK(clReleaseContext(c));
}

// A context has images if one device does, and commands for the others are refused.
TEST(images_where_one_device_has_none, deny_images)
{
	const std::vector<cl_device_id> devices = all_devices(fx);
	if (devices.empty())
		return;
	cl_int err = CL_SUCCESS;
	cl_context c = clCreateContext(nullptr, cl_uint(devices.size()), devices.data(), nullptr, nullptr, &err);
	OK(err);
	cl_mem m = line(c), other = line(c), buffer = clCreateBuffer(c, CL_MEM_READ_WRITE, 64, nullptr, &err);
	OK(err);
	cl_kernel k = kernel_of(c, with_image, "copy", devices);
	set(k, 0, m);
	set(k, 1, buffer);
	for (cl_device_id d : devices) {
		cl_command_queue q = clCreateCommandQueue(c, d, 0, &err);
		OK(err);
		const cl_int want = has_images(d) ? CL_SUCCESS : CL_INVALID_OPERATION;
		cl_uint4 bytes[4] = {};
		const cl_uint4 color = {{3}};
		size_t row = 0;
		CHECK_EQ(clEnqueueFillImage(q, m, &color, zero, extent, 0, nullptr, nullptr), want);
		CHECK_EQ(clEnqueueReadImage(q, m, CL_TRUE, zero, extent, 0, 0, bytes, 0, nullptr, nullptr), want);
		CHECK_EQ(clEnqueueWriteImage(q, m, CL_TRUE, zero, extent, 0, 0, bytes, 0, nullptr, nullptr), want);
		CHECK_EQ(clEnqueueCopyImage(q, m, other, zero, zero, extent, 0, nullptr, nullptr), want);
		CHECK_EQ(clEnqueueCopyImageToBuffer(q, m, buffer, zero, extent, 0, 0, nullptr, nullptr), want);
		CHECK_EQ(clEnqueueCopyBufferToImage(q, buffer, m, 0, zero, extent, 0, nullptr, nullptr), want);
		CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, nullptr, extent, nullptr, 0, nullptr, nullptr), want);
		void *p = clEnqueueMapImage(q, m, CL_TRUE, CL_MAP_READ, zero, extent, &row, nullptr, 0, nullptr,
					    nullptr, &err);
		CHECK_EQ(err, want);
		if (p)
			OK(clEnqueueUnmapMemObject(q, m, p, 0, nullptr, nullptr));
		OK(clReleaseCommandQueue(q));
	}
	for (cl_mem o : {m, other, buffer})
		OK(clReleaseMemObject(o));
	OK(clReleaseKernel(k));
	OK(clReleaseContext(c));
}
