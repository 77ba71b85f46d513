// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Images and samplers: what kernels and commands do with texels is compared with what the host works out.
#include "test.h"

#include <algorithm>
#include <atomic>
#include <unistd.h>

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
kernel void slow(volatile global uint *out, uint n)
{
	for (uint i = 0; i < n; i++)
		out[0] += i;
}
kernel void store(global uint *to, uint value)
{
	to[get_global_id(0)] = value;
}
kernel void fetch(read_only image1d_buffer_t from, global uint *to)
{
	to[get_global_id(0)] = read_imageui(from, (int)get_global_id(0)).x;
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

// Whatever command writes the buffer, kernels that read the image find it, and those that come after them too.
TEST(image_of_a_buffer_that_commands_write)
{
	if (!has_images(fx))
		return;
	constexpr size_t n = 64, extent[3] = {n, 1, 1}, all[3] = {n * 4, 1, 1};
	const cl_image_format f = {CL_R, CL_UNSIGNED_INT32};
	cl_mem whole = fx.buffer(n * 4), other = fx.buffer(n * 4), to = fx.buffer(n * 4);
	cl_mem i = image(fx.context, CL_MEM_OBJECT_IMAGE1D_BUFFER, f, extent, 0, nullptr, whole);
	cl_mem line = image(fx.context, CL_MEM_OBJECT_IMAGE1D, f, extent);
	const cl_buffer_region region = {0, n * 4};
	cl_int err = CL_SUCCESS;
	cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
	OK(err);
	cl_kernel get = fx.kernel(source, "fetch"), put = fx.kernel(source, "store");
	set(get, 0, i);
	set(get, 1, to);
	std::vector<cl_uint> values(n), got(n);
	cl_uint last = 0;
	auto write = [&](unsigned how) -> cl_int {
		const cl_uint4 color = {{++last}};
		std::fill(values.begin(), values.end(), last);
		cl_mem m = how % 2 ? part : whole;
		OK(clEnqueueWriteBuffer(fx.queue, other, CL_TRUE, 0, n * 4, values.data(), 0, nullptr, nullptr));
		OK(clEnqueueFillImage(fx.queue, line, &color, zero, extent, 0, nullptr, nullptr));
		switch (how / 2) {
		case 0:
			return clEnqueueWriteBuffer(fx.queue, m, CL_TRUE, 0, n * 4, values.data(), 0, nullptr, nullptr);
		case 1:
			return clEnqueueWriteBufferRect(fx.queue, m, CL_TRUE, zero, zero, all, 0, 0, 0, 0,
							values.data(), 0, nullptr, nullptr);
		case 2:
			return clEnqueueCopyBuffer(fx.queue, other, m, 0, 0, n * 4, 0, nullptr, nullptr);
		case 3:
			return clEnqueueCopyBufferRect(fx.queue, other, m, zero, zero, all, 0, 0, 0, 0, 0, nullptr,
						       nullptr);
		case 4:
			return clEnqueueFillBuffer(fx.queue, m, &last, 4, 0, n * 4, 0, nullptr, nullptr);
		case 5:
			return clEnqueueCopyImageToBuffer(fx.queue, line, m, zero, extent, 0, 0, nullptr, nullptr);
		case 6:
			return clEnqueueFillImage(fx.queue, i, &color, zero, extent, 0, nullptr, nullptr);
		case 7:
			set(put, 0, m);
			set(put, 1, last);
			return clEnqueueNDRangeKernel(fx.queue, put, 1, nullptr, extent, nullptr, 0, nullptr, nullptr);
		}
		void *p = clEnqueueMapBuffer(fx.queue, m, CL_TRUE, CL_MAP_WRITE, 0, n * 4, 0, nullptr, nullptr, &err);
		OK(err);
		memcpy(p, values.data(), n * 4);
		return clEnqueueUnmapMemObject(fx.queue, m, p, 0, nullptr, nullptr);
	};
	for (unsigned how = 0; how < 2 * 9; how++) {
		OK(write(how));
		for (int again = 0; again < 2; again++) {
			OK(clEnqueueNDRangeKernel(fx.queue, get, 1, nullptr, extent, nullptr, 0, nullptr, nullptr));
			OK(clEnqueueReadBuffer(fx.queue, to, CL_TRUE, 0, n * 4, got.data(), 0, nullptr, nullptr));
			if (got[0] != last || got != values)
				FAIL("way %u of writing: %u, not %u", how, got[0], last);
		}
	}
	OK(clReleaseKernel(get));
	OK(clReleaseKernel(put));
	for (cl_mem m : {i, line, part, whole, other, to})
		OK(clReleaseMemObject(m));
}

// A kernel that reads an image of a buffer does not wait for others that do. What the host has written before them
// without a command, in a buffer of its own, they find.
TEST(readers_of_a_buffers_image)
{
	if (!has_images(fx))
		return;
	constexpr size_t n = 64, extent[3] = {n, 1, 1};
	const cl_image_format f = {CL_R, CL_UNSIGNED_INT32};
	cl_mem to[] = {fx.buffer(n * 4), fx.buffer(n * 4)};
	cl_kernel k = fx.kernel(source, "fetch");
	cl_command_queue q = fx.unordered();
	cl_int err = CL_SUCCESS;
	auto read_twice = [&](cl_mem i, cl_uint value) {
		cl_event gate = clCreateUserEvent(fx.context, &err), done[2];
		OK(err);
		set(k, 0, i);
		for (cl_uint late : {1u, 0u}) {
			set(k, 1, to[late]);
			OK(clEnqueueNDRangeKernel(q, k, 1, nullptr, extent, nullptr, late, late ? &gate : nullptr,
						  &done[late]));
		}
		OK(clWaitForEvents(1, done)); // while the one before waits
		OK(clSetUserEventStatus(gate, CL_COMPLETE));
		OK(clFinish(q));
		for (cl_mem m : to) {
			cl_uint got = 0;
			OK(clEnqueueReadBuffer(q, m, CL_TRUE, 4 * (n - 1), 4, &got, 0, nullptr, nullptr));
			CHECK_EQ(got, value);
		}
		for (cl_event e : {gate, done[0], done[1]})
			OK(clReleaseEvent(e));
	};
	std::vector<cl_uint> own(n);
	for (bool is_own : {false, true}) {
		cl_mem buffer = is_own ? fx.buffer(n * 4, CL_MEM_USE_HOST_PTR, own.data()) : fx.buffer(n * 4);
		cl_mem i = image(fx.context, CL_MEM_OBJECT_IMAGE1D_BUFFER, f, extent, 0, nullptr, buffer);
		for (cl_uint value : {9u, 10u, 11u}) {
			if (is_own)
				std::fill(own.begin(), own.end(), value);
			else
				OK(clEnqueueFillBuffer(fx.queue, buffer, &value, 4, 0, n * 4, 0, nullptr, nullptr));
			OK(clFinish(fx.queue));
			read_twice(i, value);
		}
		OK(clReleaseMemObject(i));
		OK(clReleaseMemObject(buffer));
	}
	for (cl_mem m : to)
		OK(clReleaseMemObject(m));
	OK(clReleaseCommandQueue(q));
	OK(clReleaseKernel(k));
}

// The host may write until the unmap begins, and kernels that wait for it find all of that.
TEST(kernels_wait_for_the_end_of_a_map)
{
	if (!has_images(fx))
		return;
	constexpr size_t n = 16, extent[3] = {n, 1, 1};
	cl_mem buffer = fx.buffer(n * 4), to = fx.buffer(n * 4);
	const cl_image_format f = {CL_R, CL_UNSIGNED_INT32};
	cl_mem of_buffer = image(fx.context, CL_MEM_OBJECT_IMAGE1D_BUFFER, f, extent, 0, nullptr, buffer);
	cl_mem plane = image(fx.context, CL_MEM_OBJECT_IMAGE2D, f, extent);
	cl_command_queue q = fx.unordered();
	cl_int err = CL_SUCCESS;
	cl_kernel get = fx.kernel(source, "fetch"), wander = fx.kernel(source, "wander");
	cl_sampler s = clCreateSampler(fx.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err);
	OK(err);
	set(get, 0, of_buffer);
	set(get, 1, to);
	set(wander, 0, plane);
	set(wander, 1, s);
	set(wander, 2, to);
	set(wander, 3, 1.0f);
	for (bool is_plane : {false, true}) {
		size_t row = 0;
		cl_mem m = is_plane ? plane : buffer;
		auto *p = static_cast<cl_uint *>(is_plane ? clEnqueueMapImage(q, m, CL_TRUE, CL_MAP_WRITE, zero, extent,
									      &row, nullptr, 0, nullptr, nullptr, &err)
							  : clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_WRITE, 0, n * 4, 0,
									       nullptr, nullptr, &err));
		OK(err);
		cl_event gate = clCreateUserEvent(fx.context, &err), unmapped, done;
		OK(clEnqueueUnmapMemObject(q, m, p, 1, &gate, &unmapped));
		OK(clEnqueueNDRangeKernel(q, is_plane ? wander : get, 1, nullptr, extent, nullptr, 1, &unmapped,
					  &done));
		usleep(50000); // in which nothing is to begin
		for (size_t i = 0; i < n; i++)
			p[i] = 7;
		OK(clSetUserEventStatus(gate, CL_COMPLETE));
		OK(clWaitForEvents(1, &done));
		cl_uint got = 0;
		OK(clEnqueueReadBuffer(q, to, CL_TRUE, 4, 4, &got, 0, nullptr, nullptr));
		CHECK_EQ(got, cl_uint{7});
		for (cl_event e : {gate, unmapped, done})
			OK(clReleaseEvent(e));
	}
	OK(clReleaseCommandQueue(q));
	OK(clReleaseKernel(get));
	OK(clReleaseKernel(wander));
	OK(clReleaseSampler(s));
	for (cl_mem m : {of_buffer, plane, buffer, to})
		OK(clReleaseMemObject(m));
}

// A kernel that has an image in a texture uses it as one does that has a buffer.
TEST(destructor_callbacks_of_images)
{
	if (!has_images(fx))
		return;
	constexpr size_t n = 16, extent[3] = {n, 1, 1};
	const cl_image_format f = {CL_R, CL_UNSIGNED_INT32};
	static std::atomic<int> gone{0};
	cl_mem m = image(fx.context, CL_MEM_OBJECT_IMAGE2D, f, extent), to = fx.buffer(n * 4);
	const cl_uint4 color = {{3}};
	OK(clEnqueueFillImage(fx.queue, m, &color, zero, extent, 0, nullptr, nullptr));
	OK(clFinish(fx.queue));
	OK(clSetMemObjectDestructorCallback(
		m, [](cl_mem, void *) { gone++; }, nullptr));
	cl_int err = CL_SUCCESS;
	cl_kernel k = fx.kernel(source, "wander");
	cl_sampler s = clCreateSampler(fx.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err);
	OK(err);
	set(k, 0, m);
	set(k, 1, s);
	set(k, 2, to);
	set(k, 3, 1.0f);
	cl_event gate = clCreateUserEvent(fx.context, &err);
	OK(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, extent, nullptr, 1, &gate, nullptr));
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(m));
	usleep(50000);
	CHECK_EQ(gone.load(), 0);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clFinish(fx.queue));
	while (!gone)
		usleep(1000);
	OK(clReleaseEvent(gate));
	OK(clReleaseSampler(s));
	OK(clReleaseMemObject(to));
}

// So does one that has an image of a buffer, which goes before the buffer.
TEST(destructor_callback_of_a_buffer_with_an_image)
{
	if (!has_images(fx))
		return;
	constexpr size_t n = 16, extent[3] = {n, 1, 1};
	const cl_image_format f = {CL_R, CL_UNSIGNED_INT32};
	static std::atomic<int> gone{0};
	cl_mem buffer = fx.buffer(n * 4), to = fx.buffer(n * 4);
	cl_mem m = image(fx.context, CL_MEM_OBJECT_IMAGE1D_BUFFER, f, extent, 0, nullptr, buffer);
	OK(clSetMemObjectDestructorCallback(
		buffer, [](cl_mem, void *) { gone++; }, nullptr));
	cl_kernel k = fx.kernel(source, "fetch");
	set(k, 0, m);
	set(k, 1, to);
	cl_int err = CL_SUCCESS;
	cl_event gate = clCreateUserEvent(fx.context, &err);
	OK(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, extent, nullptr, 1, &gate, nullptr));
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(m));
	OK(clReleaseMemObject(buffer));
	usleep(50000);
	CHECK_EQ(gone.load(), 0);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clFinish(fx.queue));
	while (!gone)
		usleep(1000);
	OK(clReleaseEvent(gate));
	OK(clReleaseMemObject(to));
}

// A launch that waits for memory, as a kernel uses a buffer, does not keep callbacks from using images: whoever calls
// them may have to see to the end of that kernel.
TEST(callbacks_use_images_while_memory_is_waited_for, [] { setenv("HET_DEVICE_MEMORY", "2M", 1); })
{
	if (!has_images(fx))
		return;
	constexpr size_t side = 640, extent[3] = {side, side, 1}, n = side * side * 4, one[3] = {1, 1, 1};
	const cl_image_format f = {CL_R, CL_UNSIGNED_INT32};
	struct shared {
		cl_command_queue q;
		cl_mem small;
		cl_uint got;
		std::atomic<int> calls;
	} s = {fx.unordered(), image(fx.context, CL_MEM_OBJECT_IMAGE2D, f, one), 0, {0}};
	cl_mem large = image(fx.context, CL_MEM_OBJECT_IMAGE2D, f, extent), out = fx.buffer(n), to = fx.buffer(64);
	cl_int err = CL_SUCCESS;
	cl_kernel slow = fx.kernel(source, "slow"), wander = fx.kernel(source, "wander");
	cl_sampler sampler = clCreateSampler(fx.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err);
	OK(err);
	set(wander, 0, large);
	set(wander, 1, sampler);
	set(wander, 2, to);
	set(wander, 3, 1.0f);
	const size_t single = 1;
	cl_event done;
	auto run_slow = [&](cl_mem on, cl_uint rounds, cl_event *event) {
		set(slow, 0, on);
		set(slow, 1, rounds);
		OK(clEnqueueNDRangeKernel(s.q, slow, 1, nullptr, &single, nullptr, 0, nullptr, event));
	};
	run_slow(out, 1, nullptr); // has it compiled
	OK(clFinish(s.q));
	// A GPU takes a hundred times longer for one access after the other.
	const bool is_gpu = info<cl_device_type>(clGetDeviceInfo, fx.device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU;
	const cl_uint rounds = is_gpu ? 1 << 18 : 1 << 27;
	run_slow(to, rounds, &done);
	run_slow(out, rounds, nullptr);
	OK(clSetEventCallback(
		done, CL_COMPLETE,
		[](cl_event, cl_int, void *arg) {
			auto *with = static_cast<shared *>(arg);
			constexpr size_t region[3] = {1, 1, 1};
			OK(clEnqueueReadImage(with->q, with->small, CL_FALSE, zero, region, 0, 0, &with->got, 0,
					      nullptr, nullptr));
			with->calls++;
		},
		&s));
	usleep(30000); // the first one runs, and the second one is under way
	OK(clEnqueueNDRangeKernel(s.q, wander, 1, nullptr, &single, nullptr, 0, nullptr, nullptr));
	OK(clFinish(s.q));
	while (!s.calls)
		usleep(1000);
	OK(clFinish(s.q));
	CHECK_EQ(info<cl_int>(clGetEventInfo, done, CL_EVENT_COMMAND_EXECUTION_STATUS), CL_COMPLETE);
	OK(clReleaseEvent(done));
	OK(clReleaseSampler(sampler));
	OK(clReleaseKernel(slow));
	OK(clReleaseKernel(wander));
	for (cl_mem m : {s.small, large, out, to})
		OK(clReleaseMemObject(m));
	OK(clReleaseCommandQueue(s.q));
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
