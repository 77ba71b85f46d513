// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Writes and copies of what a device has are done there, once, and lose nothing where the driver fails in them; and who
// makes them.
#include "driver_table.h"
#include "test.h"

#include <atomic>
#include <thread>

using namespace cltest;

namespace
{

constexpr char source[] = R"(
kernel void copy(global const uchar *from, global uchar *to)
{
	to[get_global_id(0)] = from[get_global_id(0)];
}
)";
constexpr size_t size = 5 << 20; // is several chunks

cl_icd_dispatch pocl; // is the table as it was

// What the driver was asked for, and how many bytes of it crossed between host and device. Whoever sets the size has
// the next write or copy of it fail.
std::atomic<size_t> copies, crossed, fails_at;

bool is_to_fail(size_t n)
{
	size_t wanted = n;
	return fails_at.compare_exchange_strong(wanted, 0);
}

cl_int CL_API_CALL read_buffer(cl_command_queue q, cl_mem m, cl_bool blocks, size_t offset, size_t n, void *to,
			       cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	crossed += n;
	return pocl.clEnqueueReadBuffer(q, m, blocks, offset, n, to, nwaits, waits, event);
}

cl_int CL_API_CALL write_buffer(cl_command_queue q, cl_mem m, cl_bool blocks, size_t offset, size_t n, const void *from,
				cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	crossed += n;
	if (is_to_fail(n)) { // when the half of it is there
		(void)pocl.clEnqueueWriteBuffer(q, m, CL_TRUE, offset, n / 2, from, 0, nullptr, nullptr);
		return CL_OUT_OF_RESOURCES;
	}
	return pocl.clEnqueueWriteBuffer(q, m, blocks, offset, n, from, nwaits, waits, event);
}

cl_int CL_API_CALL copy_buffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
			       size_t n, cl_uint nwaits, const cl_event *waits, cl_event *event)
{
	copies++;
	if (is_to_fail(n)) {
		(void)pocl.clEnqueueCopyBuffer(q, from, to, from_offset, to_offset, n / 2, 0, nullptr, nullptr);
		(void)pocl.clFinish(q);
		return CL_OUT_OF_RESOURCES;
	}
	return pocl.clEnqueueCopyBuffer(q, from, to, from_offset, to_offset, n, nwaits, waits, event);
}

// Says that texels have been written, and whether this thread has done it.
std::atomic<bool> wrote_texels;
thread_local bool has_written_texels;

cl_int CL_API_CALL write_image(cl_command_queue q, cl_mem m, cl_bool blocks, const size_t *origin, const size_t *region,
			       size_t row, size_t slice, const void *from, cl_uint nwaits, const cl_event *waits,
			       cl_event *event)
{
	has_written_texels = true;
	wrote_texels = true;
	return pocl.clEnqueueWriteImage(q, m, blocks, origin, region, row, slice, from, nwaits, waits, event);
}

void watch_copies()
{
	const driver below;
	if (!below.platform)
		return;
	pocl = *below.table;
	below.table->clEnqueueWriteImage = write_image;
	below.table->clEnqueueReadBuffer = read_buffer;
	below.table->clEnqueueWriteBuffer = write_buffer;
	below.table->clEnqueueCopyBuffer = copy_buffer;
}

using bytes = std::vector<unsigned char>;

bytes pattern(unsigned char first)
{
	bytes b(size);
	for (size_t i = 0; i < size; i++)
		b[i] = (unsigned char)(first + i * 7 + i / 4096);
	return b;
}

// Two buffers, of which the second is what a kernel has made of the first: its device alone has it.
struct two_buffers {
	explicit two_buffers(fixture &f)
	    : fx(f), from(f.buffer(size)), to(f.buffer(size)), begun(pattern(1)), k(f.kernel(source, "copy"))
	{
		OK(clEnqueueWriteBuffer(fx.queue, from, CL_TRUE, 0, size, begun.data(), 0, nullptr, nullptr));
		launch();
	}
	~two_buffers()
	{
		OK(clReleaseKernel(k));
		OK(clReleaseMemObject(from));
		OK(clReleaseMemObject(to));
	}
	void launch()
	{
		set(k, 0, from);
		set(k, 1, to);
		OK(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, &size, nullptr, 0, nullptr, nullptr));
		OK(clFinish(fx.queue));
	}
	// The host has the bytes besides.
	void show(cl_mem m) const
	{
		cl_int err;
		void *p = clEnqueueMapBuffer(fx.queue, m, CL_TRUE, CL_MAP_READ, 0, size, 0, nullptr, nullptr, &err);
		OK(err);
		OK(clEnqueueUnmapMemObject(fx.queue, m, p, 0, nullptr, nullptr));
		OK(clFinish(fx.queue));
	}
	bytes read(cl_mem m) const
	{
		bytes got(size);
		OK(clEnqueueReadBuffer(fx.queue, m, CL_TRUE, 0, size, got.data(), 0, nullptr, nullptr));
		return got;
	}
	cl_int copy(size_t at, size_t to_at, size_t n) const
	{
		OK(clEnqueueCopyBuffer(fx.queue, from, to, at, to_at, n, 0, nullptr, nullptr));
		return clFinish(fx.queue);
	}

	fixture &fx;
	const cl_mem from, to;
	const bytes begun;
	const cl_kernel k;
};

// The joint device's launches leave their parts on several, and CUDA's driver is not watched.
bool is_one_of_pocl(const fixture &fx)
{
	const std::string name = text(clGetDeviceInfo, fx.device, CL_DEVICE_NAME);
	const bool is_other = name.find("joint") != std::string::npos || name.find("(CUDA") != std::string::npos;
	return pocl.clEnqueueCopyBuffer && !is_other;
}

constexpr size_t some = 1 << 20, at = some + 777; // neither begin nor end with a chunk

} // namespace

TEST(copies_stay_on_the_device, watch_copies)
{
	if (!is_one_of_pocl(fx))
		return;
	two_buffers b(fx);
	bytes model = b.begun;
	crossed = copies = 0;
	OK(b.copy(at, 3 * some, some));
	CHECK(copies);
	CHECK_EQ(crossed.load(), 0u);
	memcpy(&model[3 * some], &b.begun[at], some);
	// The two sides may be parts of one buffer, and few bytes.
	OK(clEnqueueCopyBuffer(fx.queue, b.to, b.to, 3 * some, 5, 100, 0, nullptr, nullptr));
	OK(clFinish(fx.queue));
	CHECK_EQ(crossed.load(), 0u);
	memcpy(&model[5], &model[3 * some], 100);
	CHECK(b.read(b.to) == model);
	CHECK(b.read(b.from) == b.begun);
	set(b.k, 0, b.to);
	set(b.k, 1, b.from);
	OK(clEnqueueNDRangeKernel(fx.queue, b.k, 1, nullptr, &size, nullptr, 0, nullptr, nullptr));
	CHECK(b.read(b.from) == model);
}

// What host and device have is written on the device alone.
TEST(writes_go_where_the_bytes_are, watch_copies)
{
	if (!is_one_of_pocl(fx))
		return;
	two_buffers b(fx);
	b.show(b.to);
	bytes model = b.begun;
	const bytes other = pattern(100);
	for (size_t n : {some, size_t{3}}) {
		crossed = 0;
		OK(clEnqueueWriteBuffer(fx.queue, b.to, CL_TRUE, at, n, &other[n], 0, nullptr, nullptr));
		CHECK_EQ(crossed.load(), n);
		memcpy(&model[at], &other[n], n);
	}
	crossed = 0;
	set(b.k, 0, b.to);
	set(b.k, 1, b.from);
	OK(clEnqueueNDRangeKernel(fx.queue, b.k, 1, nullptr, &size, nullptr, 0, nullptr, nullptr));
	OK(clFinish(fx.queue));
	CHECK_EQ(crossed.load(), 0u);
	CHECK(b.read(b.from) == model);
	crossed = 0;
	CHECK(b.read(b.to) == model);
	CHECK(crossed >= some); // the host's copy was not written besides
}

TEST(a_write_that_fails_loses_nothing, watch_copies)
{
	if (!is_one_of_pocl(fx))
		return;
	two_buffers b(fx);
	const bytes other = pattern(100);
	auto write = [&](size_t offset, size_t n) {
		fails_at = n;
		const cl_int err =
			clEnqueueWriteBuffer(fx.queue, b.to, CL_TRUE, offset, n, &other[offset], 0, nullptr, nullptr);
		CHECK_EQ(fails_at.load(), 0u);
		CHECK(err < 0);
	};
	// The device has them alone: others than these bytes are as they were.
	write(at, some);
	bytes got = b.read(b.to);
	memcpy(&got[at], &b.begun[at], some);
	CHECK(got == b.begun);
	// The host has them, too: all are.
	for (size_t n : {size, some, size_t{10}}) {
		b.launch();
		b.show(b.to);
		write(n == size ? 0 : at, n);
		CHECK(b.read(b.to) == b.begun);
	}
	OK(clEnqueueWriteBuffer(fx.queue, b.to, CL_TRUE, 0, size, other.data(), 0, nullptr, nullptr));
	CHECK(b.read(b.to) == other);
}

TEST(a_copy_that_fails_loses_nothing, watch_copies)
{
	if (!is_one_of_pocl(fx))
		return;
	two_buffers b(fx);
	for (bool at_home : {false, true}) {
		b.launch();
		if (at_home)
			b.show(b.to);
		fails_at = some;
		(void)b.copy(0, at, some);
		CHECK_EQ(fails_at.load(), 0u);
		bytes got = b.read(b.to);
		if (!at_home)
			memcpy(&got[at], &b.begun[at], some);
		CHECK(got == b.begun);
		CHECK(b.read(b.from) == b.begun);
	}
	OK(b.copy(0, at, some));
	CHECK(!memcmp(&b.read(b.to)[at], b.begun.data(), some));
}

TEST(fills_stay_on_the_device, watch_copies)
{
	if (!is_one_of_pocl(fx))
		return;
	two_buffers b(fx);
	bytes model = b.begun;
	unsigned char text[16];
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(200 + i);
	auto fill = [&](size_t offset, size_t n) {
		OK(clEnqueueFillBuffer(fx.queue, b.to, text, sizeof(text), offset, n, 0, nullptr, nullptr));
		OK(clFinish(fx.queue));
		for (size_t i = 0; i < n; i++)
			model[offset + i] = text[i % sizeof(text)];
	};
	crossed = copies = 0;
	fill(16 * 1001, some + 32);
	CHECK(copies);
	CHECK(crossed < some / 4);
	fill(0, 16);
	CHECK(crossed < some / 4);
	CHECK(b.read(b.to) == model);
	fails_at = some / 2;
	OK(clEnqueueFillBuffer(fx.queue, b.to, text, sizeof(text), 0, 3 * some, 0, nullptr, nullptr));
	OK(clFinish(fx.queue));
	CHECK_EQ(fails_at.load(), 0u);
	const bytes got = b.read(b.to);
	CHECK(!memcmp(&got[3 * some], &model[3 * some], size - 3 * some));
}

// Texels go to the device behind the kernels that are there, so whoever enqueues does not wait for that.
TEST(texels_are_written_by_other_threads, watch_copies)
{
	if (!is_one_of_pocl(fx) || !info<cl_bool>(clGetDeviceInfo, fx.device, CL_DEVICE_IMAGE_SUPPORT))
		return;
	constexpr char fetch[] = R"(
kernel void fetch(read_only image2d_t from, global uint *to)
{
	int i = get_global_id(0);
	to[i] = read_imageui(from, (int2)(i, 0)).x;
}
)";
	constexpr size_t width = 64;
	const cl_image_format f = {CL_RGBA, CL_UNSIGNED_INT8};
	cl_image_desc d = {};
	d.image_type = CL_MEM_OBJECT_IMAGE2D;
	d.image_width = width;
	d.image_height = 1;
	std::vector<unsigned char> texels(4 * width);
	for (size_t i = 0; i < texels.size(); i++)
		texels[i] = (unsigned char)i;
	cl_int err = 1;
	const cl_mem from = clCreateImage(fx.context, CL_MEM_COPY_HOST_PTR, &f, &d, texels.data(), &err);
	OK(err);
	const cl_mem to = fx.buffer(4 * width);
	const cl_kernel k = fx.kernel(fetch, "fetch");
	set(k, 0, from);
	set(k, 1, to);
	OK(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, &width, nullptr, 0, nullptr, nullptr));
	while (!wrote_texels)
		std::this_thread::yield();
	CHECK(!has_written_texels);
	std::vector<cl_uint> got(width);
	OK(clEnqueueReadBuffer(fx.queue, to, CL_TRUE, 0, 4 * width, got.data(), 0, nullptr, nullptr));
	for (size_t i = 0; i < width; i++)
		CHECK_EQ(got[i], texels[4 * i]);
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
}
