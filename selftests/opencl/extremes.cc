// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Numbers so large that sums and products of them come round to small ones: each call must refuse them.
#include "test.h"

#include <array>

using namespace cltest;

namespace
{

constexpr char source[] = "kernel void k(local uint *a, local uint *b) { a[0] = b[0]; }\n";
constexpr size_t n = 4096, half = SIZE_MAX / 2 + 1;

struct objects {
	const fixture &fx;
	cl_mem from = fx.buffer(n), to = fx.buffer(n);
	cl_kernel kernel = fx.kernel(source, "k");
	char host[n] = {};

	explicit objects(const fixture &f) : fx(f) {}
	objects(const objects &) = delete;
	objects &operator=(const objects &) = delete;
	~objects()
	{
		OK(clReleaseMemObject(from));
		OK(clReleaseMemObject(to));
		OK(clReleaseKernel(kernel));
	}

	using three = std::array<size_t, 3>;

	cl_int read(three at, three region, size_t row, size_t slice)
	{
		const three zero = {};
		return clEnqueueReadBufferRect(fx.queue, from, CL_TRUE, at.data(), zero.data(), region.data(), row,
					       slice, 0, 0, host, 0, nullptr, nullptr);
	}
	cl_int copy(three at, three region, size_t row, size_t slice)
	{
		const three zero = {};
		return clEnqueueCopyBufferRect(fx.queue, from, to, at.data(), zero.data(), region.data(), row, slice, 0,
					       0, 0, nullptr, nullptr);
	}
	cl_int launch(size_t a, size_t b)
	{
		constexpr size_t one = 1;
		OK(clSetKernelArg(kernel, 0, a, nullptr));
		OK(clSetKernelArg(kernel, 1, b, nullptr));
		return clEnqueueNDRangeKernel(fx.queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr);
	}
	// An image of 4 x 4 (x 4) texels of 16 bytes, with pitches that lead out of all memory.
	cl_int image(cl_mem_object_type type, size_t row, size_t slice)
	{
		if (!info<cl_bool>(clGetDeviceInfo, fx.device, CL_DEVICE_IMAGE_SUPPORT))
			return CL_INVALID_IMAGE_DESCRIPTOR;
		const cl_image_format f = {CL_RGBA, CL_FLOAT};
		cl_image_desc d = {};
		d.image_type = type;
		d.image_width = d.image_height = 4;
		d.image_depth = d.image_array_size = 4;
		d.image_row_pitch = row;
		d.image_slice_pitch = slice;
		cl_int err = 1;
		CHECK(!clCreateImage(fx.context, CL_MEM_USE_HOST_PTR, &f, &d, host, &err));
		return err;
	}
};

const struct {
	const char *what;
	cl_int (*run)(objects &);
	cl_int code;
} rows[] = {
	{"a rectangle's first row",
	 [](objects &o) {
		 return o.read({0, half, 0}, {1, 1, 1}, 2, 0);
	 },
	 CL_INVALID_VALUE},
	{"a rectangle's first plane",
	 [](objects &o) {
		 return o.read({0, 0, half}, {1, 1, 1}, 2, 2);
	 },
	 CL_INVALID_VALUE},
	{"a rectangle's first byte",
	 [](objects &o) {
		 return o.read({SIZE_MAX, 1, 0}, {1, 1, 1}, 1, 1);
	 },
	 CL_INVALID_VALUE},
	{"a rectangle's planes",
	 [](objects &o) {
		 return o.read({}, {1, 1, 3}, 1, half);
	 },
	 CL_INVALID_VALUE},
	{"a rectangle's rows",
	 [](objects &o) {
		 return o.read({}, {1, half + 1, 1}, 2, 0);
	 },
	 CL_INVALID_VALUE},
	{"a rectangle of everything",
	 [](objects &o) {
		 return o.read({}, {SIZE_MAX, SIZE_MAX, SIZE_MAX}, 0, 0);
	 },
	 CL_INVALID_VALUE},
	{"a copied rectangle's first row",
	 [](objects &o) {
		 return o.copy({0, half, 0}, {1, 1, 1}, 2, 0);
	 },
	 CL_INVALID_VALUE},
	{"a copied rectangle's planes",
	 [](objects &o) {
		 return o.copy({}, {1, 1, 3}, 1, half);
	 },
	 CL_INVALID_VALUE},
	{"a part",
	 [](objects &o) {
		 const cl_buffer_region r = {SIZE_MAX, 2};
		 cl_int err = 1;
		 CHECK(!clCreateSubBuffer(o.from, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &err));
		 return err;
	 },
	 CL_INVALID_VALUE},
	{"a fill",
	 [](objects &o) {
		 return clEnqueueFillBuffer(o.fx.queue, o.to, o.host, 4, n - 4, SIZE_MAX - 3, 0, nullptr, nullptr);
	 },
	 CL_INVALID_VALUE},
	{"a copy",
	 [](objects &o) { return clEnqueueCopyBuffer(o.fx.queue, o.from, o.to, SIZE_MAX, 0, 2, 0, nullptr, nullptr); },
	 CL_INVALID_VALUE},
	{"a buffer",
	 [](objects &o) {
		 cl_int err = 1;
		 CHECK(!clCreateBuffer(o.fx.context, 0, SIZE_MAX, nullptr, &err));
		 return err;
	 },
	 CL_INVALID_BUFFER_SIZE},
	{"local memory of two", [](objects &o) { return o.launch(half, half); }, CL_OUT_OF_RESOURCES},
	{"local memory of one and the rest", [](objects &o) { return o.launch(SIZE_MAX, 4); }, CL_OUT_OF_RESOURCES},
	{"a group's items",
	 [](objects &o) {
		 constexpr size_t items[] = {size_t{1} << 32, size_t{1} << 32};
		 OK(clSetKernelArg(o.kernel, 0, 4, nullptr));
		 OK(clSetKernelArg(o.kernel, 1, 4, nullptr));
		 return clEnqueueNDRangeKernel(o.fx.queue, o.kernel, 2, nullptr, items, items, 0, nullptr, nullptr);
	 },
	 CL_INVALID_WORK_ITEM_SIZE},
	{"an image's rows", [](objects &o) { return o.image(CL_MEM_OBJECT_IMAGE2D, SIZE_MAX / 4 + 1, 0); },
	 CL_INVALID_IMAGE_DESCRIPTOR},
	{"an image's planes", [](objects &o) { return o.image(CL_MEM_OBJECT_IMAGE3D, 64, SIZE_MAX / 4 + 1); },
	 CL_INVALID_IMAGE_DESCRIPTOR},
	{"an array's lines", [](objects &o) { return o.image(CL_MEM_OBJECT_IMAGE1D_ARRAY, 64, SIZE_MAX / 4 + 1); },
	 CL_INVALID_IMAGE_DESCRIPTOR},
};

} // namespace

TEST(numbers_that_come_round)
{
	objects o(fx);
	unsigned wrong = 0;
	for (const auto &r : rows)
		wrong += !has_code(r.what, r.run(o), r.code);
	CHECK_EQ(wrong, 0u);
}
