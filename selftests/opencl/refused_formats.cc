// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Some drivers name formats of images that they refuse afterwards: such that OpenCL rules out, and others.
#include "driver_table.h"
#include "test.h"

#include <algorithm>

using namespace cltest;

namespace
{

constexpr char source[] = R"(
kernel void copy(read_only image1d_t from, global uint *to)
{
	to[0] = read_imageui(from, 0).x;
}
)";
// BGRA has channels of 8 bits alone.
constexpr cl_image_format ruled_out = {CL_BGRA, CL_UNSIGNED_INT16}, refused = {CL_RGBA, CL_UNSIGNED_INT16};

bool is_same(const cl_image_format &a, const cl_image_format &b)
{
	return a.image_channel_order == b.image_channel_order && a.image_channel_data_type == b.image_channel_data_type;
}

decltype(cl_icd_dispatch::clGetSupportedImageFormats) driver_formats;
decltype(cl_icd_dispatch::clCreateImage) driver_image;
int refusals;

// The one that is ruled out is added as the first.
cl_int CL_API_CALL more_formats(cl_context c, cl_mem_flags flags, cl_mem_object_type shape, cl_uint room,
				cl_image_format *formats, cl_uint *count)
{
	cl_uint n = 0;
	const cl_uint left = room ? room - 1 : 0;
	const cl_int err = driver_formats(c, flags, shape, left, left ? formats + 1 : nullptr, &n);
	if (room)
		formats[0] = ruled_out;
	if (count)
		*count = n + 1;
	return err;
}

cl_mem CL_API_CALL choosy_image(cl_context c, cl_mem_flags flags, const cl_image_format *f, const cl_image_desc *shape,
				void *host, cl_int *err)
{
	if (!is_same(*f, ruled_out) && !is_same(*f, refused))
		return driver_image(c, flags, f, shape, host, err);
	refusals++;
	if (err)
		*err = CL_IMAGE_FORMAT_NOT_SUPPORTED;
	return nullptr;
}

void name_more_formats()
{
	const driver below;
	if (!below.platform)
		return;
	driver_formats = below.table->clGetSupportedImageFormats;
	driver_image = below.table->clCreateImage;
	below.table->clGetSupportedImageFormats = more_formats;
	below.table->clCreateImage = choosy_image;
}

std::vector<cl_image_format> formats(const fixture &fx, cl_mem_object_type shape)
{
	std::vector<cl_image_format> all(200);
	cl_uint n = 0;
	OK(clGetSupportedImageFormats(fx.context, CL_MEM_READ_WRITE, shape, 200, all.data(), &n));
	all.resize(n);
	return all;
}

bool has(const std::vector<cl_image_format> &all, const cl_image_format &f)
{
	return std::any_of(all.begin(), all.end(), [&](const cl_image_format &a) { return is_same(a, f); });
}

cl_mem line(const fixture &fx, const cl_image_format &f, cl_int *err)
{
	cl_image_desc d = {};
	d.image_type = CL_MEM_OBJECT_IMAGE1D;
	d.image_width = 16;
	return clCreateImage(fx.context, CL_MEM_READ_WRITE, &f, &d, nullptr, err);
}

} // namespace

TEST(formats_that_opencl_rules_out, name_more_formats)
{
	if (!driver_formats)
		return;
	for (cl_mem_object_type shape : {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D}) {
		CHECK(!has(formats(fx, shape), ruled_out));
		CHECK(has(formats(fx, shape), refused));
	}
	cl_int err = CL_SUCCESS;
	CHECK(!line(fx, ruled_out, &err));
	CHECK_EQ(err, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
	CHECK_EQ(refusals, 0);
}

// The texels are there for the host, as the driver is asked for a texture by the first launch, which it fails. Launches
// with others go on. CUDA's driver, whose devices may be beside those of OpenCL, takes all of them.
TEST(formats_that_the_driver_refuses, name_more_formats)
{
	if (!driver_formats)
		return;
	const bool of_cuda = text(clGetDeviceInfo, fx.device, CL_DEVICE_NAME).find("(CUDA") != std::string::npos;
	const cl_image_format good = {CL_RGBA, CL_UNSIGNED_INT32};
	cl_mem to = fx.buffer(4);
	cl_kernel k = fx.kernel(source, "copy");
	set(k, 1, to);
	for (const cl_image_format &f : {refused, good}) {
		const bool is_good = of_cuda || is_same(f, good);
		constexpr size_t zero[3] = {0, 0, 0}, region[3] = {1, 1, 1}, one = 1;
		cl_int err = CL_SUCCESS;
		cl_mem m = line(fx, f, &err);
		OK(err);
		const cl_uint4 color = {{7, 7, 7, 7}};
		cl_uint4 got = {};
		cl_uint told = 0;
		OK(clEnqueueFillImage(fx.queue, m, &color, zero, region, 0, nullptr, nullptr));
		OK(clEnqueueReadImage(fx.queue, m, CL_TRUE, zero, region, 0, 0, &got, 0, nullptr, nullptr));
		CHECK_EQ(got.s[0] & 0xffff, 7u);
		set(k, 0, m);
		CHECK_EQ(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
			 is_good ? CL_SUCCESS : CL_IMAGE_FORMAT_NOT_SUPPORTED);
		OK(clEnqueueReadBuffer(fx.queue, to, CL_TRUE, 0, 4, &told, 0, nullptr, nullptr));
		CHECK(!is_good || told == 7);
		OK(clReleaseMemObject(m));
	}
	CHECK(of_cuda || refusals > 0);
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(to));
}
