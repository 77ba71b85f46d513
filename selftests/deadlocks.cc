// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The toucher holds a lock that the fetch needs. Each of these cases has hung a prototype.
#include "harness/fixture.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <thread>

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;

#define CHECK_CL(CALL)                                            \
	do {                                                      \
		cl_int err_ = (CALL);                             \
		if (err_ != CL_SUCCESS)                           \
			FAIL("%s: OpenCL error %d", #CALL, err_); \
	} while (0)

// The program has queues of its own on the device under test, with other buffers than the array's.
class program
{
      public:
	explicit program(array &a)
	{
		auto mem = static_cast<cl_mem>(a.buffer(0));
		CHECK_CL(clGetMemObjectInfo(mem, CL_MEM_CONTEXT, sizeof context, &context, nullptr));
		CHECK_CL(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr));
	}

	cl_command_queue queue()
	{
		cl_int err;
		cl_command_queue q = clCreateCommandQueue(context, device, 0, &err);
		CHECK_CL(err);
		return q;
	}
	cl_mem buffer(size_t n, cl_mem_flags flags = CL_MEM_READ_WRITE, void *host = nullptr)
	{
		cl_int err;
		cl_mem m = clCreateBuffer(context, flags, n, host, &err);
		CHECK_CL(err);
		return m;
	}

	cl_context context;
	cl_device_id device;
};

void expect_buffer(cl_command_queue q, cl_mem m, array &a, const char *what)
{
	std::vector<uint8_t> bytes(a.size());
	CHECK_CL(clEnqueueReadBuffer(q, m, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr));
	CHECK_BYTES(bytes.data(), a.model(), a.size(), what);
}
} // namespace

// The program enqueues non-blocking writes of other buffers from revoked arrays: as many as the driver has workers, and
// more.
TEST(opencl_writes_from_revoked, .traps = trap::all, .devices = device::opencl, .kinds = kind::map | kind::slice)
{
	fixture fx(t);
	const unsigned most = 4;
	const size_t n = 100 * page;
	std::vector<std::unique_ptr<array>> arrays;
	for (unsigned i = 0; i < most; i++) {
		arrays.push_back(std::make_unique<array>(fx, t.v.kind, n, i));
		arrays.back()->link();
	}
	program p(*arrays[0]);
	std::vector<cl_command_queue> queues;
	std::vector<cl_mem> buffers;
	for (unsigned i = 0; i < most; i++) {
		queues.push_back(p.queue());
		buffers.push_back(p.buffer(n));
	}
	for (unsigned writers = 1; writers <= most; writers++) {
		for (auto &a : arrays)
			a->add_everywhere(0, writers);
		for (unsigned i = 0; i < writers; i++)
			CHECK_CL(clEnqueueWriteBuffer(queues[i], buffers[i], CL_FALSE, 0, n, arrays[i]->data(), 0,
						      nullptr, nullptr));
		for (unsigned i = 0; i < writers; i++)
			CHECK_CL(clFlush(queues[i]));
		for (unsigned i = 0; i < writers; i++)
			CHECK_CL(clFinish(queues[i]));
		for (unsigned i = 0; i < writers; i++)
			expect_buffer(queues[i], buffers[i], *arrays[i], "buffer written from a revoked array");
		for (auto &a : arrays)
			a->check();
	}
}

TEST(opencl_reads_into_revoked, .traps = trap::all, .devices = device::opencl, .kinds = kind::map | kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link();
	program p(a);
	cl_command_queue q = p.queue();
	std::vector<uint8_t> bytes(a.size());
	apply({kernel::fill, 0, a.size(), 77}, bytes.data());
	cl_mem m = p.buffer(a.size(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes.data());
	for (cl_bool blocking : {CL_TRUE, CL_FALSE}) {
		a.add_everywhere(0, 1);
		CHECK_CL(clEnqueueReadBuffer(q, m, blocking, 0, a.size(), a.data(), 0, nullptr, nullptr));
		CHECK_CL(clFinish(q));
		memcpy(a.model(), bytes.data(), a.size());
		a.check("what OpenCL read into a revoked array");
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
		a.check_buffer(0, "the array's buffer after that");
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	}
}

TEST(opencl_buffer_from_revoked, .traps = trap::all, .devices = device::opencl, .kinds = kind::map | kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link();
	program p(a);
	cl_command_queue q = p.queue();
	for (int round = 0; round < 3; round++) {
		a.add_everywhere(0, 1);
		cl_mem m = p.buffer(a.size(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, a.data());
		expect_buffer(q, m, a, "buffer created from a revoked array");
		CHECK_CL(clReleaseMemObject(m));
		a.check();
	}
}

// A write is queued already while another thread makes fetches necessary.
TEST(opencl_busy_queue, .traps = trap::all, .devices = device::opencl, .kinds = kind::map)
{
	fixture fx(t);
	array a(fx, t.v.kind, 64 * page), b(fx, t.v.kind, 64 * page);
	a.link();
	b.link();
	program p(a);
	cl_command_queue q = p.queue();
	cl_mem m = p.buffer(a.size());
	std::atomic<bool> stop{false};
	std::thread other([&] {
		while (!stop) {
			b.add_everywhere(0, 1);
			b.check("touched beside a busy queue");
		}
	});
	for (uint64_t round = 0; round < t.rounds(30, 1000); round++) {
		a.add_everywhere(0, 1);
		CHECK_CL(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, a.size(), a.data(), 0, nullptr, nullptr));
		CHECK_CL(clFlush(q));
		a.check();
		CHECK_CL(clFinish(q));
		expect_buffer(q, m, a, "buffer");
	}
	stop = true;
	other.join();
}

namespace
{
// This is small enough for the heap, and large enough for whole pages.
constexpr size_t heap_size = 20 * page;

uint8_t *allocate(size_t n)
{
	auto p = static_cast<uint8_t *>(malloc(n));
	CHECK(p);
	return p;
}
} // namespace

// The toucher holds the only arena, and a driver's malloc waits for it.
TEST(realloc_with_one_arena, .traps = trap::all, .devices = device::plain)
{
	skip_under_sanitizers("it has an allocator of its own");
	restart_with(t, {"MALLOC_ARENA_MAX=1"});
	fixture fx(t);
	for (uint64_t round = 0; round < t.rounds(20, 500); round++) {
		uint8_t *p = allocate(heap_size);
		void *stopper = malloc(100); // keeps the block from growing in place, so that realloc() copies
		array a(fx, p, heap_size, round);
		a.link();
		a.add_everywhere(0, 1);
		size_t larger = heap_size + (1 + round % 8) * page;
		auto q = static_cast<uint8_t *>(realloc(p, larger));
		CHECK(q);
		a.abandon();
		CHECK_BYTES(q, a.model(), heap_size, "after realloc");
		memset(q, 0x3c, larger);
		free(q);
		free(stopper);
	}
}

TEST(free_with_one_arena, .traps = trap::all, .devices = device::plain)
{
	skip_under_sanitizers("it has an allocator of its own");
	restart_with(t, {"MALLOC_ARENA_MAX=1"});
	fixture fx(t);
	// These threads want the arena all the time.
	std::atomic<bool> stop{false};
	std::thread others([&] {
		while (!stop)
			free(allocate(5000));
	});
	for (uint64_t round = 0; round < t.rounds(40, 1000); round++) {
		uint8_t *p = allocate(heap_size);
		array a(fx, p, heap_size, round);
		a.link();
		a.add_everywhere(0, 1);
		if (round % 2)
			a.check(heap_size / 2, 100);
		free(p);
		a.abandon();
		// This is the next owner of these bytes.
		uint8_t *next = allocate(heap_size);
		memset(next, int(round), heap_size);
		for (size_t i = 0; i < heap_size; i++)
			CHECK_EQ(next[i], uint8_t(round));
		free(next);
	}
	malloc_trim(0);
	stop = true;
	others.join();
}

// The heap grows and shrinks around revoked arrays, which are its neighbours.
TEST(heap_around_revoked, .traps = trap::all, .devices = device::plain)
{
	skip_under_sanitizers("it has an allocator of its own");
	restart_with(t, {"MALLOC_ARENA_MAX=1"});
	fixture fx(t);
	std::vector<std::unique_ptr<array>> arrays;
	for (int i = 0; i < 8; i++) {
		arrays.push_back(std::make_unique<array>(fx, kind::heap, heap_size, i));
		arrays.back()->link();
	}
	for (uint64_t round = 0; round < t.rounds(20, 500); round++) {
		for (auto &a : arrays)
			a->add_everywhere(0, 1);
		std::vector<void *> blocks;
		for (int i = 0; i < 200; i++) {
			blocks.push_back(malloc(t.random.between(1, 20000)));
			if (t.random.one_in(3)) {
				size_t k = t.random.below(blocks.size());
				blocks[k] = realloc(blocks[k], t.random.between(1, 40000));
			}
		}
		for (void *b : blocks)
			free(b);
		malloc_trim(0);
		for (auto &a : arrays)
			a->check("heap array among allocations");
	}
}
