// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What commands do with bytes, and in which order.
#include "test.h"

#include <CL/cl_ext_het.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

using namespace cltest;

namespace
{

constexpr char source[] =
	"kernel void add(global uint *a, uint v) { a[get_global_id(0)] += v; }\n"
	"kernel void ids(global ulong *a) {\n"
	"	size_t i = (get_global_id(2) - get_global_offset(2)) * get_global_size(1) * get_global_size(0) +\n"
	"		(get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - "
	"get_global_offset(0);\n"
	"	a[i] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2) + 1000000 * "
	"get_local_size(0);\n"
	"}\n"
	"kernel void sums(global const uint *from, global uint *to, local uint *l) {\n"
	"	l[get_local_id(0)] = from[get_global_id(0)];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	if (!get_local_id(0)) {\n"
	"		uint s = 0;\n"
	"		for (size_t i = 0; i < get_local_size(0); i++) s += l[i];\n"
	"		to[get_group_id(0)] = s;\n"
	"	}\n"
	"}\n"
	"kernel void is_null(global uint *a, global uint *to) { to[0] = a == 0; }\n";

std::vector<cl_uint> numbers(fixture &fx, size_t n)
{
	std::vector<cl_uint> v(n);
	for (cl_uint &x : v)
		x = cl_uint(fx.random());
	return v;
}

void launch(cl_command_queue q, cl_kernel k, size_t n, std::vector<cl_event> waits = {}, cl_event *event = nullptr)
{
	OK(clEnqueueNDRangeKernel(q, k, 1, nullptr, &n, nullptr, cl_uint(waits.size()),
				  waits.empty() ? nullptr : waits.data(), event));
}

cl_int status_of(cl_event e)
{
	return info<cl_int>(clGetEventInfo, e, CL_EVENT_COMMAND_EXECUTION_STATUS);
}

} // namespace

TEST(reads_writes_copies_fills)
{
	constexpr size_t n = 10000;
	std::vector<cl_uint> a = numbers(fx, n), b(n);
	cl_mem from = fx.buffer(4 * n), to = fx.buffer(4 * n, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, b.data());
	OK(clEnqueueWriteBuffer(fx.queue, from, CL_FALSE, 0, 4 * n, a.data(), 0, nullptr, nullptr));
	OK(clEnqueueCopyBuffer(fx.queue, from, to, 400, 800, 4000, 0, nullptr, nullptr));
	const cl_ushort pattern = 0x1234;
	OK(clEnqueueFillBuffer(fx.queue, to, &pattern, 2, 20000, 1000, 0, nullptr, nullptr));
	OK(clEnqueueReadBuffer(fx.queue, to, CL_TRUE, 0, 4 * n, b.data(), 0, nullptr, nullptr));
	for (size_t i = 0; i < n; i++) {
		const cl_uint wanted = i >= 200 && i < 1200 ? a[i - 100] : i >= 5000 && i < 5250 ? 0x12341234u : 0;
		CHECK_EQ(b[i], wanted);
	}
	// No bytes is a command, too.
	cl_event e = nullptr;
	OK(clEnqueueReadBuffer(fx.queue, to, CL_TRUE, 0, 0, b.data(), 0, nullptr, &e));
	CHECK_EQ(status_of(e), CL_COMPLETE);
	OK(clReleaseEvent(e));
	OK(clReleaseMemObject(from));
	OK(clReleaseMemObject(to));
}

TEST(rectangles)
{
	constexpr size_t width = 64, height = 20, depth = 5, n = width * height * depth;
	std::vector<unsigned char> host(n), model(n), back(n);
	for (size_t i = 0; i < n; i++)
		host[i] = (unsigned char)(fx.random());
	cl_mem m = fx.buffer(n), other = fx.buffer(n);
	const unsigned char zero = 0;
	OK(clEnqueueFillBuffer(fx.queue, m, &zero, 1, 0, n, 0, nullptr, nullptr));
	OK(clEnqueueFillBuffer(fx.queue, other, &zero, 1, 0, n, 0, nullptr, nullptr));
	const size_t at[3] = {3, 4, 1}, from[3] = {10, 2, 0}, region[3] = {30, 10, 3};
	OK(clEnqueueWriteBufferRect(fx.queue, m, CL_FALSE, at, from, region, width, width * height, width,
				    width * height, host.data(), 0, nullptr, nullptr));
	OK(clEnqueueCopyBufferRect(fx.queue, m, other, at, at, region, width, width * height, width, width * height, 0,
				   nullptr, nullptr));
	OK(clEnqueueReadBufferRect(fx.queue, other, CL_TRUE, at, at, region, width, width * height, width,
				   width * height, back.data(), 0, nullptr, nullptr));
	for (size_t z = 0; z < region[2]; z++)
		for (size_t y = 0; y < region[1]; y++)
			for (size_t x = 0; x < region[0]; x++)
				model[((at[2] + z) * height + at[1] + y) * width + at[0] + x] =
					host[((from[2] + z) * height + from[1] + y) * width + from[0] + x];
	CHECK(model == back);
	OK(clReleaseMemObject(m));
	OK(clReleaseMemObject(other));
}

TEST(launches)
{
	cl_kernel ids = fx.kernel(source, "ids"), sums = fx.kernel(source, "sums");
	const size_t offset[3] = {5, 7, 2}, global[3] = {8, 6, 4}, local[3] = {4, 3, 2}, n = 8 * 6 * 4;
	cl_mem m = fx.buffer(8 * n);
	std::vector<cl_ulong> got(n);
	set(ids, 0, m);
	OK(clEnqueueNDRangeKernel(fx.queue, ids, 3, offset, global, local, 0, nullptr, nullptr));
	OK(clEnqueueReadBuffer(fx.queue, m, CL_TRUE, 0, 8 * n, got.data(), 0, nullptr, nullptr));
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(got[i], 5 + i % 8 + 100 * (7 + i / 8 % 6) + 10000 * (2 + i / 48) + 4000000);
	const std::vector<cl_uint> a = numbers(fx, 1024);
	cl_mem from = fx.buffer(4096, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, const_cast<cl_uint *>(a.data()));
	cl_mem to = fx.buffer(64, CL_MEM_WRITE_ONLY);
	set(sums, 0, from);
	set(sums, 1, to);
	OK(clSetKernelArg(sums, 2, 64 * 4, nullptr));
	const size_t items = 1024, group = 64;
	OK(clEnqueueNDRangeKernel(fx.queue, sums, 1, nullptr, &items, &group, 0, nullptr, nullptr));
	cl_uint results[16];
	OK(clEnqueueReadBuffer(fx.queue, to, CL_TRUE, 0, sizeof results, results, 0, nullptr, nullptr));
	for (size_t g = 0; g < 16; g++) {
		cl_uint wanted = 0;
		for (size_t i = 0; i < group; i++)
			wanted += a[g * group + i];
		CHECK_EQ(results[g], wanted);
	}
	for (cl_mem o : {m, from, to})
		OK(clReleaseMemObject(o));
	OK(clReleaseKernel(ids));
	OK(clReleaseKernel(sums));
}

TEST(null_arguments_and_clones)
{
	cl_kernel k = fx.kernel(source, "is_null");
	cl_mem to = fx.buffer(4), none = nullptr;
	cl_int err = CL_SUCCESS;
	cl_uint answer = 7;
	set(k, 0, none);
	set(k, 1, to);
	launch(fx.queue, k, 1);
	OK(clEnqueueReadBuffer(fx.queue, to, CL_TRUE, 0, 4, &answer, 0, nullptr, nullptr));
	CHECK_EQ(answer, 1u);
	// A clone has the arguments, and they are its own from then on.
	cl_kernel clone = clCloneKernel(k, &err);
	OK(err);
	set(clone, 0, to);
	launch(fx.queue, clone, 1);
	OK(clEnqueueReadBuffer(fx.queue, to, CL_TRUE, 0, 4, &answer, 0, nullptr, nullptr));
	CHECK_EQ(answer, 0u);
	launch(fx.queue, k, 1);
	OK(clEnqueueReadBuffer(fx.queue, to, CL_TRUE, 0, 4, &answer, 0, nullptr, nullptr));
	CHECK_EQ(answer, 1u);
	// What has no work-items is a marker.
	const size_t zero = 0;
	cl_event e = nullptr;
	OK(clEnqueueNDRangeKernel(fx.queue, k, 1, nullptr, &zero, nullptr, 0, nullptr, &e));
	OK(clWaitForEvents(1, &e));
	OK(clReleaseEvent(e));
	OK(clReleaseKernel(clone));
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(to));
}

// The program's own array is the buffer: after a kernel its bytes are seen with a mapping and without.
TEST(host_arrays)
{
	constexpr size_t n = 50000;
	cl_kernel k = fx.kernel(source, "add");
	for (int round = 0; round < 4; round++) {
		std::vector<cl_uint> a = numbers(fx, n + 3), model = a;
		cl_mem m = fx.buffer(4 * n, CL_MEM_USE_HOST_PTR, a.data() + 1);
		set(k, 0, m);
		set(k, 1, cl_uint{5});
		launch(fx.queue, k, n);
		for (size_t i = 1; i <= n; i++)
			model[i] += 5;
		if (round % 2) {
			OK(clFinish(fx.queue));
			CHECK(a == model);
			a[7] = model[7] = 12;
		}
		cl_int err = CL_SUCCESS;
		void *at = clEnqueueMapBuffer(fx.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 4 * n, 0, nullptr,
					      nullptr, &err);
		OK(err);
		CHECK(at == a.data() + 1);
		CHECK(a == model);
		a[100] = model[100] = 77;
		OK(clEnqueueUnmapMemObject(fx.queue, m, at, 0, nullptr, nullptr));
		launch(fx.queue, k, n);
		for (size_t i = 1; i <= n; i++)
			model[i] += 5;
		if (round < 2)
			OK(clFinish(fx.queue));
		OK(clReleaseMemObject(m));
		OK(clFinish(fx.queue));
		CHECK(a == model);
	}
	OK(clReleaseKernel(k));
}

// A read to where the bytes are already, or a write from there, shows what kernels have written.
TEST(transfers_in_place)
{
	constexpr size_t n = 30000;
	const size_t origin[3] = {16, 2, 0}, region[3] = {64, 20, 1};
	cl_kernel k = fx.kernel(source, "add");
	std::vector<cl_uint> a = numbers(fx, n), model = a;
	cl_mem m = fx.buffer(4 * n, CL_MEM_USE_HOST_PTR, a.data());
	set(k, 0, m);
	set(k, 1, cl_uint{5});
	for (int round = 0; round < 4; round++) {
		launch(fx.queue, k, n);
		for (cl_uint &x : model)
			x += 5;
		if (round == 0)
			OK(clEnqueueReadBuffer(fx.queue, m, CL_TRUE, 40, 4 * n - 40, a.data() + 10, 0, nullptr,
					       nullptr));
		else if (round == 1)
			OK(clEnqueueReadBufferRect(fx.queue, m, CL_TRUE, origin, origin, region, 400, 0, 400, 0,
						   a.data(), 0, nullptr, nullptr));
		else if (round == 2)
			OK(clEnqueueWriteBufferRect(fx.queue, m, CL_TRUE, origin, origin, region, 400, 0, 400, 0,
						    a.data(), 0, nullptr, nullptr));
		else
			OK(clEnqueueWriteBuffer(fx.queue, m, CL_TRUE, 0, 4 * n, a.data(), 0, nullptr, nullptr));
		OK(clFinish(fx.queue));
		CHECK(a == model);
		a[250] = model[250] = cl_uint(round);
	}
	OK(clReleaseMemObject(m));
	OK(clReleaseKernel(k));
}

// A map and a read in place that wait for what has failed are made, and fail as others do.
TEST(maps_that_fail)
{
	std::vector<cl_uint> a(1000);
	cl_mem m = fx.buffer(4000, CL_MEM_USE_HOST_PTR, a.data());
	for (int i = 0; i < 50; i++) {
		cl_int err = CL_SUCCESS;
		cl_event gate = clCreateUserEvent(fx.context, &err), e = nullptr;
		OK(clSetUserEventStatus(gate, -77));
		void *at = nullptr;
		if (i % 2)
			at = clEnqueueMapBuffer(fx.queue, m, CL_FALSE, CL_MAP_READ, 0, 4000, 1, &gate, &e, &err);
		else
			err = clEnqueueReadBuffer(fx.queue, m, CL_FALSE, 0, 4000, a.data(), 1, &gate, &e);
		OK(err);
		CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
		if (at)
			OK(clEnqueueUnmapMemObject(fx.queue, m, at, 0, nullptr, nullptr));
		OK(clReleaseEvent(e));
		OK(clReleaseEvent(gate));
	}
	OK(clReleaseMemObject(m));
}

// OpenCL does not say what such commands do, but programs wait for them before they unmap.
TEST(commands_on_what_is_mapped)
{
	constexpr size_t n = 30000;
	cl_kernel k = fx.kernel(source, "add");
	std::vector<cl_uint> a = numbers(fx, n);
	cl_mem m = fx.buffer(4 * n), copy = fx.buffer(4 * n);
	cl_int err = CL_SUCCESS;
	auto *at = static_cast<cl_uint *>(
		clEnqueueMapBuffer(fx.queue, m, CL_TRUE, CL_MAP_WRITE, 0, 4 * n, 0, nullptr, nullptr, &err));
	OK(err);
	std::copy(a.begin(), a.end(), at);
	OK(clEnqueueCopyBuffer(fx.queue, m, copy, 0, 0, 4 * n, 0, nullptr, nullptr));
	OK(clFinish(fx.queue));
	OK(clEnqueueUnmapMemObject(fx.queue, m, at, 0, nullptr, nullptr));
	set(k, 0, copy);
	set(k, 1, cl_uint{1});
	launch(fx.queue, k, n);
	std::vector<cl_uint> got(n);
	OK(clEnqueueReadBuffer(fx.queue, copy, CL_TRUE, 0, 4 * n, got.data(), 0, nullptr, nullptr));
	for (cl_uint &x : a)
		x++;
	CHECK(got == a);
	for (cl_mem o : {m, copy})
		OK(clReleaseMemObject(o));
	OK(clReleaseKernel(k));
}

TEST(parts_of_buffers)
{
	cl_kernel k = fx.kernel(source, "add");
	const size_t align = info<cl_uint>(clGetDeviceInfo, fx.device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
	std::vector<cl_uint> a = numbers(fx, align), model = a;
	cl_mem m = fx.buffer(4 * align, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, a.data());
	cl_int err = CL_SUCCESS;
	const cl_buffer_region r = {align, 2 * align};
	cl_mem part = clCreateSubBuffer(m, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &r, &err);
	OK(err);
	set(k, 0, part);
	set(k, 1, cl_uint{9});
	launch(fx.queue, k, align / 2);
	for (size_t i = 0; i < align / 2; i++)
		model[align / 4 + i] += 9;
	OK(clEnqueueReadBuffer(fx.queue, m, CL_TRUE, 0, 4 * align, a.data(), 0, nullptr, nullptr));
	CHECK(a == model);
	// The part keeps the whole.
	OK(clReleaseMemObject(m));
	OK(clEnqueueReadBuffer(fx.queue, part, CL_TRUE, 0, 2 * align, a.data(), 0, nullptr, nullptr));
	CHECK(std::equal(a.begin(), a.begin() + ptrdiff_t(align / 2), model.begin() + ptrdiff_t(align / 4)));
	OK(clReleaseMemObject(part));
	OK(clReleaseKernel(k));
}

// Commands of an out-of-order queue have the order that events give them, also across queues.
TEST(user_events_hold_commands)
{
	cl_command_queue q = fx.unordered();
	cl_int err = CL_SUCCESS;
	cl_kernel k = fx.kernel(source, "add");
	cl_uint value = 1;
	cl_mem m = fx.buffer(4, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &value);
	cl_event gate = clCreateUserEvent(fx.context, &err), added = nullptr, read = nullptr;
	OK(err);
	CHECK_EQ(status_of(gate), CL_SUBMITTED);
	set(k, 0, m);
	set(k, 1, cl_uint{10});
	launch(q, k, 1, {gate}, &added);
	OK(clEnqueueReadBuffer(fx.queue, m, CL_FALSE, 0, 4, &value, 1, &added, &read));
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	CHECK(status_of(added) > CL_COMPLETE && status_of(read) > CL_COMPLETE && value == 1);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
	OK(clWaitForEvents(1, &read));
	CHECK_EQ(value, 11u);
	CHECK(info<cl_command_queue>(clGetEventInfo, added, CL_EVENT_COMMAND_QUEUE) == q);
	CHECK_EQ(info<cl_command_type>(clGetEventInfo, added, CL_EVENT_COMMAND_TYPE),
		 cl_uint{CL_COMMAND_NDRANGE_KERNEL});
	for (cl_event e : {gate, added, read})
		OK(clReleaseEvent(e));
	OK(clReleaseMemObject(m));
	OK(clReleaseKernel(k));
	OK(clReleaseCommandQueue(q));
}

TEST(failures_reach_who_waits)
{
	cl_command_queue q = fx.unordered();
	cl_int err = CL_SUCCESS;
	cl_uint value = 1;
	cl_mem m = fx.buffer(4);
	cl_event gate = clCreateUserEvent(fx.context, &err), e = nullptr, marker = nullptr;
	OK(clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4, &value, 1, &gate, &e));
	OK(clEnqueueMarkerWithWaitList(q, 1, &e, &marker));
	OK(clSetUserEventStatus(gate, -77));
	CHECK_EQ(clWaitForEvents(1, &marker), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CHECK_EQ(status_of(gate), -77);
	CHECK(status_of(e) < 0 && status_of(marker) < 0);
	CHECK_EQ(value, 1u);
	CHECK_EQ(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &value, 1, &gate, nullptr),
		 CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	// The queue goes on.
	OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
	for (cl_event o : {gate, e, marker})
		OK(clReleaseEvent(o));
	OK(clReleaseMemObject(m));
	OK(clReleaseCommandQueue(q));
}

namespace
{

struct called {
	std::atomic<int> times{0}, status{99};
};

void note_call(cl_event, cl_int status, void *arg)
{
	auto *c = static_cast<called *>(arg);
	c->status = status;
	c->times++;
}

void wait_until(const std::atomic<int> &n, int wanted)
{
	for (int i = 0; i < 5000 && n < wanted; i++)
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	CHECK_EQ(n.load(), wanted);
}

} // namespace

TEST(callbacks)
{
	cl_int err = CL_SUCCESS;
	cl_uint value = 0;
	cl_mem m = fx.buffer(4);
	cl_event gate = clCreateUserEvent(fx.context, &err), e = nullptr;
	OK(clEnqueueWriteBuffer(fx.queue, m, CL_FALSE, 0, 4, &value, 1, &gate, &e));
	called states[3], late, failed;
	for (cl_int s : {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED})
		OK(clSetEventCallback(e, s, note_call, &states[s]));
	std::this_thread::sleep_for(std::chrono::milliseconds(10));
	CHECK_EQ(states[CL_COMPLETE].times.load(), 0);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	for (cl_int s : {CL_COMPLETE, CL_RUNNING, CL_SUBMITTED}) {
		wait_until(states[s].times, 1);
		CHECK_EQ(states[s].status.load(), s);
	}
	OK(clWaitForEvents(1, &e));
	OK(clSetEventCallback(e, CL_COMPLETE, note_call, &late));
	wait_until(late.times, 1);
	OK(clReleaseEvent(gate));
	gate = clCreateUserEvent(fx.context, &err);
	OK(clSetEventCallback(gate, CL_COMPLETE, note_call, &failed));
	OK(clSetUserEventStatus(gate, -5));
	wait_until(failed.times, 1);
	CHECK_EQ(failed.status.load(), -5);
	OK(clReleaseEvent(gate));
	OK(clReleaseEvent(e));
	OK(clReleaseMemObject(m));
}

TEST(times_are_in_order)
{
	cl_kernel k = fx.kernel(source, "add");
	cl_mem m = fx.buffer(4096);
	cl_event e = nullptr;
	cl_ulong before = 0, after = 0, t[4] = {};
	set(k, 0, m);
	set(k, 1, cl_uint{1});
	OK(clGetHostTimer(fx.device, &before));
	launch(fx.queue, k, 1024, {}, &e);
	OK(clWaitForEvents(1, &e));
	OK(clGetHostTimer(fx.device, &after));
	for (cl_uint i = 0; i < 4; i++)
		OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + i, sizeof t[i], &t[i], nullptr));
	CHECK(before <= t[0] && t[0] <= t[1] && t[1] <= t[2] && t[2] <= t[3] && t[3] <= after);
	OK(clReleaseEvent(e));
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(m));
}

TEST(markers_and_barriers)
{
	cl_command_queue q = fx.unordered();
	cl_int err = CL_SUCCESS;
	cl_uint value = 3, other = 0;
	cl_mem m = fx.buffer(4), free = fx.buffer(4);
	cl_event gate = clCreateUserEvent(fx.context, &err), write = nullptr, marker = nullptr, barrier = nullptr,
		 behind = nullptr;
	OK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &value, 1, &gate, &write));
	OK(clEnqueueMarkerWithWaitList(q, 0, nullptr, &marker));
	// Nothing holds up what comes behind a marker.
	OK(clEnqueueReadBuffer(q, free, CL_TRUE, 0, 4, &other, 0, nullptr, nullptr));
	OK(clEnqueueBarrierWithWaitList(q, 0, nullptr, &barrier));
	OK(clEnqueueReadBuffer(q, free, CL_FALSE, 0, 4, &other, 0, nullptr, &behind));
	std::this_thread::sleep_for(std::chrono::milliseconds(10));
	for (cl_event e : {write, marker, barrier, behind})
		CHECK(status_of(e) > CL_COMPLETE);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clFinish(q));
	for (cl_event e : {write, marker, barrier, behind}) {
		CHECK_EQ(status_of(e), CL_COMPLETE);
		OK(clReleaseEvent(e));
	}
	OK(clReleaseEvent(gate));
	OK(clReleaseMemObject(m));
	OK(clReleaseMemObject(free));
	OK(clReleaseCommandQueue(q));
}

namespace
{

struct native_block {
	cl_uint *numbers;
	size_t n;
	cl_uint value;
};

void native(void *arg)
{
	auto *b = static_cast<native_block *>(arg);
	for (size_t i = 0; i < b->n; i++)
		b->numbers[i] += b->value;
}

} // namespace

TEST(native_kernels)
{
	if (!(info<cl_device_exec_capabilities>(clGetDeviceInfo, fx.device, CL_DEVICE_EXECUTION_CAPABILITIES) &
	      CL_EXEC_NATIVE_KERNEL))
		return;
	constexpr size_t n = 1000;
	std::vector<cl_uint> a = numbers(fx, n), model = a;
	cl_kernel k = fx.kernel(source, "add");
	cl_mem m = fx.buffer(4 * n, CL_MEM_COPY_HOST_PTR, a.data());
	native_block b = {nullptr, n, 3};
	const void *place = &b.numbers;
	set(k, 0, m);
	set(k, 1, cl_uint{4});
	launch(fx.queue, k, n);
	OK(clEnqueueNativeKernel(fx.queue, native, &b, sizeof b, 1, &m, &place, 0, nullptr, nullptr));
	b.n = 0; // the block was copied
	launch(fx.queue, k, n);
	OK(clEnqueueReadBuffer(fx.queue, m, CL_TRUE, 0, 4 * n, a.data(), 0, nullptr, nullptr));
	for (size_t i = 0; i < n; i++)
		CHECK_EQ(a[i], model[i] + 11);
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(m));
}

// A launch on a device that is several is shared where that is proved safe, and is right where it is not.
TEST(shared_launches)
{
	constexpr size_t n = size_t{1} << 20;
	const bool is_several = text(clGetDeviceInfo, fx.device, CL_DEVICE_NAME).starts_with("2 joint");
	cl_kernel add = fx.kernel("kernel void add(global uint *a, uint v) {\n"
				  "	uint x = a[get_global_id(0)];\n"
				  "	for (int i = 0; i < 300; i++) x = x * 3 + v;\n"
				  "	a[get_global_id(0)] = x;\n"
				  "}\n",
				  "add");
	cl_kernel count = fx.kernel(
		"kernel void count(volatile global uint *a) { atomic_inc(&a[get_global_id(0) % 7]); }", "count");
	std::vector<cl_uint> a = numbers(fx, n), model = a;
	cl_mem m = fx.buffer(4 * n, CL_MEM_COPY_HOST_PTR, a.data());
	// So much is what the kernel's loop comes to.
	cl_uint most = 0, factor = 1, addend = 0;
	for (int i = 0; i < 300; i++) {
		factor *= 3;
		addend = addend * 3 + 5;
	}
	const size_t items = n, group = 64;
	set(add, 0, m);
	set(add, 1, cl_uint{5});
	for (int round = 0; round < 4; round++) {
		cl_event e = nullptr;
		OK(clEnqueueNDRangeKernel(fx.queue, add, 1, nullptr, &items, &group, 0, nullptr, &e));
		OK(clWaitForEvents(1, &e));
		most = std::max(most, info<cl_uint>(clGetEventInfo, e, CL_EVENT_PARTS_HET));
		OK(clReleaseEvent(e));
		for (cl_uint &x : model)
			x = x * factor + addend;
	}
	OK(clEnqueueReadBuffer(fx.queue, m, CL_TRUE, 0, 4 * n, a.data(), 0, nullptr, nullptr));
	CHECK(a == model);
	CHECK(most == (is_several ? 2 : 1) || (most == 1 && !makes_binaries()));
	const cl_uint zero = 0;
	cl_event e = nullptr;
	OK(clEnqueueFillBuffer(fx.queue, m, &zero, 4, 0, 28, 0, nullptr, nullptr));
	set(count, 0, m);
	const size_t few = 7 * 1024;
	OK(clEnqueueNDRangeKernel(fx.queue, count, 1, nullptr, &few, &group, 0, nullptr, &e));
	OK(clEnqueueReadBuffer(fx.queue, m, CL_TRUE, 0, 28, a.data(), 0, nullptr, nullptr));
	CHECK(std::all_of(a.begin(), a.begin() + 7, [](cl_uint x) { return x == 1024; }));
	CHECK_EQ(info<cl_uint>(clGetEventInfo, e, CL_EVENT_PARTS_HET), 1u);
	OK(clReleaseEvent(e));
	OK(clReleaseMemObject(m));
	OK(clReleaseKernel(add));
	OK(clReleaseKernel(count));
}
