// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Images and samplers: what kernels and commands do with texels is compared with what the host works out.
#include "test.h"

#include <algorithm>

using namespace cltest;

namespace
{

constexpr char source[] = R"(
kernel void add(read_only image2d_t from, write_only image2d_t to, sampler_t s, uint4 n)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	write_imageui(to, at, read_imageui(from, s, at + (int2)(1, 0)) + n);
}
kernel void wander(read_only image2d_t from, sampler_t s, global uint *out, float step)
{
	size_t i = get_global_id(0);
	out[i] = read_imageui(from, s, (float2)(-1.5f + i * step, 0.5f)).x;
}
kernel void line(read_only image1d_buffer_t from, write_only image1d_buffer_t to)
{
	int i = get_global_id(0);
	write_imageui(to, i, read_imageui(from, i) + 1);
}
)";

constexpr cl_image_format bytes4 = {CL_RGBA, CL_UNSIGNED_INT8};

// Skips what a driver without images can't do: the platform says so then.
bool has_images(const fixture &fx)
{
	return info<cl_bool>(clGetDeviceInfo, fx.device, CL_DEVICE_IMAGE_SUPPORT);
}

cl_mem image(cl_context c, cl_mem_object_type shape, const cl_image_format &f, const size_t (&extent)[3],
	     cl_mem_flags flags = CL_MEM_READ_WRITE, void *host = nullptr, cl_mem buffer = nullptr)
{
	cl_image_desc d = {};
	d.image_type = shape;
	d.image_width = extent[0];
	d.image_height = extent[1];
	d.image_depth = extent[2];
	d.image_array_size = shape == CL_MEM_OBJECT_IMAGE1D_ARRAY ? extent[1] : extent[2];
	d.mem_object = buffer;
	cl_int err = CL_SUCCESS;
	cl_mem m = clCreateImage(c, flags, &f, &d, host, &err);
	OK(err);
	return m;
}

std::vector<unsigned char> noise(fixture &fx, size_t n)
{
	std::vector<unsigned char> v(n);
	for (unsigned char &b : v)
		b = static_cast<unsigned char>(fx.random());
	return v;
}

// Returns the texels of a box of what has these, which lie side by side.
std::vector<unsigned char> box_of(const std::vector<unsigned char> &all, const size_t (&extent)[3], size_t texel,
				  const size_t *origin, const size_t *region)
{
	std::vector<unsigned char> box;
	for (size_t z = 0; z < region[2]; z++) {
		for (size_t y = 0; y < region[1]; y++) {
			const size_t row = (origin[2] + z) * extent[1] + origin[1] + y;
			const auto at = all.begin() + ptrdiff_t((row * extent[0] + origin[0]) * texel);
			box.insert(box.end(), at, at + ptrdiff_t(region[0] * texel));
		}
	}
	return box;
}

constexpr size_t zero[3] = {0, 0, 0};

} // namespace

// Each format of each shape goes through writes, boxes of reads, copies to images and buffers, and maps.
TEST(images_keep_their_texels)
{
	constexpr struct {
		cl_mem_object_type shape;
		size_t extent[3], origin[3], region[3];
	} shapes[] = {
		{CL_MEM_OBJECT_IMAGE1D, {40, 1, 1}, {3, 0, 0}, {20, 1, 1}},
		{CL_MEM_OBJECT_IMAGE1D_ARRAY, {20, 5, 1}, {3, 1, 0}, {7, 3, 1}},
		{CL_MEM_OBJECT_IMAGE2D, {17, 9, 1}, {2, 3, 0}, {11, 5, 1}},
		{CL_MEM_OBJECT_IMAGE2D_ARRAY, {9, 7, 4}, {2, 3, 1}, {5, 4, 2}},
		{CL_MEM_OBJECT_IMAGE3D, {9, 7, 4}, {2, 3, 1}, {5, 4, 2}},
	};
	for (const auto &s : shapes) {
		cl_image_format all[200];
		cl_uint n = 0;
		OK(clGetSupportedImageFormats(fx.context, CL_MEM_READ_WRITE, s.shape, 200, all, &n));
		CHECK(!has_images(fx) == !n);
		for (cl_uint i = 0; i < n; i++) {
			cl_mem m = image(fx.context, s.shape, all[i], s.extent);
			cl_mem other = image(fx.context, s.shape, all[i], s.extent);
			const size_t texel = info<size_t>(clGetImageInfo, m, CL_IMAGE_ELEMENT_SIZE);
			const auto whole = noise(fx, s.extent[0] * s.extent[1] * s.extent[2] * texel);
			const auto want = box_of(whole, s.extent, texel, s.origin, s.region);
			std::vector<unsigned char> got(want.size());
			OK(clEnqueueWriteImage(fx.queue, m, CL_FALSE, zero, s.extent, 0, 0, whole.data(), 0, nullptr,
					       nullptr));
			OK(clEnqueueReadImage(fx.queue, m, CL_TRUE, s.origin, s.region, 0, 0, got.data(), 0, nullptr,
					      nullptr));
			CHECK(got == want);
			OK(clEnqueueCopyImage(fx.queue, m, other, s.origin, zero, s.region, 0, nullptr, nullptr));
			cl_mem b = fx.buffer(want.size() + 8);
			OK(clEnqueueCopyImageToBuffer(fx.queue, other, b, zero, s.region, 8, 0, nullptr, nullptr));
			std::fill(got.begin(), got.end(), 0);
			OK(clEnqueueReadBuffer(fx.queue, b, CL_TRUE, 8, got.size(), got.data(), 0, nullptr, nullptr));
			CHECK(got == want);
			for (cl_mem o : {m, other, b})
				OK(clReleaseMemObject(o));
		}
	}
}

// Chains of kernels, with commands between them that change the texels behind the textures' back.
TEST(kernels_use_images)
{
	if (!has_images(fx))
		return;
	constexpr size_t w = 16, h = 8, extent[3] = {w, h, 1};
	auto model = noise(fx, w * h * 4);
	cl_mem a = image(fx.context, CL_MEM_OBJECT_IMAGE2D, bytes4, extent, CL_MEM_COPY_HOST_PTR, model.data());
	cl_mem b = image(fx.context, CL_MEM_OBJECT_IMAGE2D, bytes4, extent);
	cl_int err = CL_SUCCESS;
	cl_sampler s = clCreateSampler(fx.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err);
	OK(err);
	cl_kernel k = fx.kernel(source, "add");
	const cl_uint4 one = {{1, 2, 3, 4}};
	set(k, 2, s);
	set(k, 3, one);
	for (int round = 0; round < 6; round++) {
		const size_t global[] = {w, h};
		set(k, 0, round % 2 ? b : a);
		set(k, 1, round % 2 ? a : b);
		OK(clEnqueueNDRangeKernel(fx.queue, k, 2, nullptr, global, nullptr, 0, nullptr, nullptr));
		auto next = model;
		for (size_t i = 0; i < model.size(); i++) {
			const size_t x = i / 4 % w, from = x + 1 < w ? i + 4 : i;
			next[i] = static_cast<unsigned char>(std::min<unsigned>(model[from] + 1 + i % 4, 255));
		}
		model = next;
		cl_mem now = round % 2 ? a : b;
		const size_t at[] = {1, 2, 0}, region[] = {1, 1, 1};
		if (round == 2) {
			const cl_uint4 color = {{9, 300, 7, 6}};
			OK(clEnqueueFillImage(fx.queue, now, &color, at, region, 0, nullptr, nullptr));
			const unsigned char want[] = {9, 255, 7, 6};
			std::copy_n(want, 4, &model[(2 * w + 1) * 4]);
		}
		if (round == 3) {
			size_t row = 0;
			auto *p = static_cast<unsigned char *>(
				clEnqueueMapImage(fx.queue, now, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, region, &row,
						  nullptr, 0, nullptr, nullptr, &err));
			OK(err);
			CHECK(row == w * 4 && p[1] == model[(2 * w + 1) * 4 + 1]);
			p[1] = model[(2 * w + 1) * 4 + 1] = 77;
			OK(clEnqueueUnmapMemObject(fx.queue, now, p, 0, nullptr, nullptr));
		}
	}
	std::vector<unsigned char> got(model.size());
	OK(clEnqueueReadImage(fx.queue, a, CL_TRUE, zero, extent, 0, 0, got.data(), 0, nullptr, nullptr));
	CHECK(got == model);
	OK(clReleaseKernel(k));
	OK(clReleaseSampler(s));
	OK(clReleaseMemObject(a));
	OK(clReleaseMemObject(b));
}

TEST(samplers_address_what_is_outside)
{
	if (!has_images(fx))
		return;
	const unsigned char texels[] = {10, 11, 12, 13};
	constexpr size_t extent[3] = {4, 1, 1};
	const cl_image_format f = {CL_R, CL_UNSIGNED_INT8};
	cl_mem m = image(fx.context, CL_MEM_OBJECT_IMAGE2D, f, extent, CL_MEM_COPY_HOST_PTR,
			 const_cast<unsigned char *>(texels));
	cl_kernel k = fx.kernel(source, "wander");
	cl_mem out = fx.buffer(7 * sizeof(cl_uint));
	set(k, 0, m);
	set(k, 2, out);
	set(k, 3, 1.0f);
	const struct {
		cl_addressing_mode mode;
		cl_uint want[7]; // at -1.5, -0.5 ... 4.5
	} rows[] = {{CL_ADDRESS_CLAMP_TO_EDGE, {10, 10, 10, 11, 12, 13, 13}},
		    {CL_ADDRESS_CLAMP, {0, 0, 10, 11, 12, 13, 0}}};
	for (const auto &r : rows) {
		cl_int err = CL_SUCCESS;
		cl_sampler s = clCreateSampler(fx.context, CL_FALSE, r.mode, CL_FILTER_NEAREST, &err);
		OK(err);
		set(k, 1, s);
		const size_t n = 7;
		cl_uint got[7];
		OK(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, &n, nullptr, 0, nullptr, nullptr));
		OK(clEnqueueReadBuffer(fx.queue, out, CL_TRUE, 0, sizeof got, got, 0, nullptr, nullptr));
		for (size_t i = 0; i < n; i++)
			CHECK_EQ(got[i], r.want[i]);
		OK(clReleaseSampler(s));
	}
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(m));
	OK(clReleaseMemObject(out));
}

// The bytes are the buffer's, whoever writes them.
TEST(image_of_a_buffer)
{
	if (!has_images(fx))
		return;
	constexpr size_t n = 64, extent[3] = {n, 1, 1};
	const cl_image_format f = {CL_R, CL_UNSIGNED_INT32};
	std::vector<cl_uint> values(n, 5), got(n);
	cl_mem from = fx.buffer(n * 4), to = fx.buffer(n * 4);
	cl_mem a = image(fx.context, CL_MEM_OBJECT_IMAGE1D_BUFFER, f, extent, 0, nullptr, from);
	cl_mem b = image(fx.context, CL_MEM_OBJECT_IMAGE1D_BUFFER, f, extent, 0, nullptr, to);
	cl_kernel k = fx.kernel(source, "line");
	set(k, 0, a);
	set(k, 1, b);
	for (cl_uint round = 0; round < 3; round++) {
		values[7] = round;
		OK(clEnqueueWriteBuffer(fx.queue, from, CL_FALSE, 0, n * 4, values.data(), 0, nullptr, nullptr));
		OK(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, extent, nullptr, 0, nullptr, nullptr));
		OK(clEnqueueReadBuffer(fx.queue, to, CL_TRUE, 0, n * 4, got.data(), 0, nullptr, nullptr));
		CHECK(got[7] == round + 1 && got[8] == 6);
	}
	OK(clReleaseKernel(k));
	for (cl_mem m : {a, b, from, to})
		OK(clReleaseMemObject(m));
}

// What one device has written, the next one reads.
TEST(images_travel_between_devices)
{
	cl_device_id all[16];
	cl_uint n = 0;
	cl_int err = CL_SUCCESS;
	OK(clGetDeviceIDs(fx.platform, CL_DEVICE_TYPE_ALL, 16, all, &n));
	if (!has_images(fx))
		return;
	cl_context c = clCreateContext(nullptr, n, all, nullptr, nullptr, &err);
	OK(err);
	const char *text = source;
	cl_program p = clCreateProgramWithSource(c, 1, &text, nullptr, &err);
	OK(clBuildProgram(p, 0, nullptr, "", nullptr, nullptr));
	cl_kernel k = clCreateKernel(p, "add", &err);
	OK(err);
	constexpr size_t w = 8, extent[3] = {w, 1, 1}, global[] = {w, 1};
	std::vector<unsigned char> zeros(w * 4), got(w * 4);
	cl_mem m[2] = {image(c, CL_MEM_OBJECT_IMAGE2D, bytes4, extent, CL_MEM_COPY_HOST_PTR, zeros.data()),
		       image(c, CL_MEM_OBJECT_IMAGE2D, bytes4, extent)};
	cl_sampler s = clCreateSampler(c, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err);
	set(k, 2, s);
	set(k, 3, cl_uint4{{1, 1, 1, 1}});
	cl_uint rounds = 0;
	for (; rounds < 2 * n; rounds++) {
		cl_command_queue q = clCreateCommandQueue(c, all[rounds % n], 0, &err);
		OK(err);
		set(k, 0, m[rounds % 2]);
		set(k, 1, m[1 - rounds % 2]);
		OK(clEnqueueNDRangeKernel(q, k, 2, nullptr, global, nullptr, 0, nullptr, nullptr));
		OK(clReleaseCommandQueue(q)); // without a wait: the texels order the launches
	}
	cl_command_queue q = clCreateCommandQueue(c, all[0], 0, &err);
	OK(clEnqueueReadImage(q, m[rounds % 2], CL_TRUE, zero, extent, 0, 0, got.data(), 0, nullptr, nullptr));
	for (unsigned char b : got)
		CHECK_EQ(cl_uint{b}, rounds);
	OK(clReleaseCommandQueue(q));
	OK(clReleaseKernel(k));
	OK(clReleaseProgram(p));
	OK(clReleaseSampler(s));
	for (cl_mem o : m)
		OK(clReleaseMemObject(o));
	OK(clReleaseContext(c));
}
