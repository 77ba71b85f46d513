// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Threads and callbacks of a program make, use and release objects without regard to each other.
#include "test.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <unistd.h>

using namespace cltest;

namespace
{

constexpr char source[] = "kernel void add(global uint *a, uint v) { a[get_global_id(0)] += v; }\n";
constexpr size_t n = 1024;

// Runs a function on several threads.
template <class F> void on_threads(int count, F run)
{
	std::vector<std::thread> threads;
	for (int t = 0; t < count; t++)
		threads.emplace_back([&, t] { run(t); });
	for (std::thread &t : threads)
		t.join();
}

void wait_until(const std::atomic<int> &is, int wanted)
{
	while (is != wanted)
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Two threads meet at each object, if both are running, and release it at the same moment: one may, the other is told.
template <class T, class F> void check_releases(const std::vector<T> &objects, F release, cl_int if_released)
{
	std::atomic<size_t> released{0};
	std::vector<std::atomic<int>> arrived(objects.size());
	on_threads(2, [&](int) {
		for (size_t i = 0; i < objects.size(); i++) {
			arrived[i]++;
			for (int spins = 0; arrived[i] < 2 && spins < 2000; spins++)
				;
			const cl_int err = release(objects[i]);
			CHECK(err == CL_SUCCESS || err == if_released);
			released += err == CL_SUCCESS;
		}
	});
	CHECK_EQ(released.load(), objects.size());
}

cl_event user_event(const fixture &fx)
{
	cl_int err = 1;
	cl_event e = clCreateUserEvent(fx.context, &err);
	OK(err);
	return e;
}

void launch(cl_command_queue q, cl_kernel k, cl_mem m, cl_uint v, cl_event *done = nullptr, cl_event gate = nullptr)
{
	set(k, 0, m);
	set(k, 1, v);
	OK(clEnqueueNDRangeKernel(q, k, 1, nullptr, &n, nullptr, gate ? 1 : 0, gate ? &gate : nullptr, done));
}

} // namespace

// A command holds some of them, which must not be gone because one thread too many has released them.
TEST(handles_released_by_many)
{
	cl_event gate = user_event(fx);
	cl_int err = 1;
	std::vector<cl_event> events, commands;
	std::vector<cl_mem> buffers;
	for (int i = 0; i < 20000; i++)
		events.push_back(user_event(fx));
	for (int i = 0; i < 200; i++) {
		const cl_uint v = 7;
		buffers.push_back(fx.buffer(4 * n));
		commands.push_back(nullptr);
		OK(clEnqueueFillBuffer(fx.queue, buffers.back(), &v, 4, 0, 4 * n, 1, &gate, &commands.back()));
	}
	cl_command_queue q = clCreateCommandQueue(fx.context, fx.device, 0, &err);
	cl_kernel k = fx.kernel(source, "add");
	cl_mem m = fx.buffer(4 * n);
	launch(q, k, m, 1, nullptr, gate);
	check_releases(events, clReleaseEvent, CL_INVALID_EVENT);
	check_releases(buffers, clReleaseMemObject, CL_INVALID_MEM_OBJECT);
	check_releases(std::vector{m}, clReleaseMemObject, CL_INVALID_MEM_OBJECT);
	check_releases(std::vector{k}, clReleaseKernel, CL_INVALID_KERNEL);
	check_releases(std::vector{q}, clReleaseCommandQueue, CL_INVALID_COMMAND_QUEUE);
	OK(clSetUserEventStatus(gate, CL_COMPLETE));
	OK(clFinish(fx.queue));
	check_releases(commands, clReleaseEvent, CL_INVALID_EVENT);
	OK(clReleaseEvent(gate));
}

TEST(threads_make_and_release)
{
	on_threads(4, [&](int t) {
		for (int round = 0; round < 3; round++) {
			cl_int err = 1;
			cl_context c = clCreateContext(nullptr, 1, &fx.device, nullptr, nullptr, &err);
			OK(err);
			cl_command_queue q = clCreateCommandQueue(c, fx.device, 0, &err);
			OK(err);
			cl_mem m = clCreateBuffer(c, 0, 4 * n, nullptr, &err);
			OK(err);
			const char *text = source;
			cl_program p = clCreateProgramWithSource(c, 1, &text, nullptr, &err);
			OK(err);
			OK(clBuildProgram(p, 0, nullptr, "", nullptr, nullptr));
			cl_kernel k = clCreateKernel(p, "add", &err);
			OK(err);
			OK(clReleaseProgram(p));
			const auto first = cl_uint(t * 100 + round);
			OK(clEnqueueFillBuffer(q, m, &first, sizeof(first), 0, 4 * n, 0, nullptr, nullptr));
			launch(q, k, m, 1);
			OK(clReleaseKernel(k));
			std::vector<cl_uint> a(n);
			cl_event read = nullptr;
			OK(clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4 * n, a.data(), 0, nullptr, &read));
			OK(clReleaseMemObject(m));
			OK(clReleaseCommandQueue(q));
			OK(clReleaseContext(c));
			OK(clWaitForEvents(1, &read));
			OK(clReleaseEvent(read));
			for (cl_uint v : a)
				CHECK_EQ(v, first + 1);
		}
	});
}

namespace
{

struct asked {
	std::atomic<int> times{0};
	cl_context context = nullptr;
	cl_ulong end = 0;
};

void CL_CALLBACK ask(cl_event e, cl_int, void *arg)
{
	auto *a = static_cast<asked *>(arg);
	a->context = info<cl_context>(clGetEventInfo, e, CL_EVENT_CONTEXT);
	CHECK_EQ(info<cl_int>(clGetEventInfo, e, CL_EVENT_COMMAND_EXECUTION_STATUS), cl_int(CL_COMPLETE));
	a->end = info<cl_ulong>(clGetEventProfilingInfo, e, CL_PROFILING_COMMAND_END);
	OK(clRetainEvent(e));
	OK(clReleaseEvent(e));
	a->times++;
}

} // namespace

// A program sets a callback and forgets the event, which is to be one when the callback gets it.
TEST(callbacks_of_released_events)
{
	cl_mem m = fx.buffer(4 * n);
	for (int round = 0; round < 20; round++) {
		cl_event gate = user_event(fx), done = nullptr;
		asked a[2];
		const cl_uint zero = 0;
		OK(clEnqueueFillBuffer(fx.queue, m, &zero, 4, 0, 4 * n, 1, &gate, &done));
		for (asked &one : a)
			OK(clSetEventCallback(done, CL_COMPLETE, ask, &one));
		OK(clReleaseEvent(done));
		OK(clSetUserEventStatus(gate, CL_COMPLETE));
		OK(clReleaseEvent(gate));
		for (asked &one : a) {
			wait_until(one.times, 1);
			CHECK(one.context == fx.context);
			CHECK(one.end);
		}
	}
	OK(clReleaseMemObject(m));
}

namespace
{

// All of a program that has nothing else.
struct everything {
	cl_context context;
	cl_command_queue queue;
	cl_mem buffer;
	cl_kernel kernel;
	std::atomic<int> gone{0};
};

void CL_CALLBACK release_all(cl_event e, cl_int status, void *arg)
{
	auto *all = static_cast<everything *>(arg);
	CHECK_EQ(status, cl_int(CL_COMPLETE));
	OK(clReleaseKernel(all->kernel));
	OK(clReleaseMemObject(all->buffer));
	OK(clReleaseCommandQueue(all->queue));
	OK(clReleaseEvent(e));
	OK(clReleaseContext(all->context));
}

void CL_CALLBACK note_gone(cl_context, void *arg)
{
	static_cast<everything *>(arg)->gone = 1;
}

} // namespace

TEST(callbacks_release_everything)
{
	for (int round = 0; round < 10; round++) {
		everything all;
		cl_int err = 1;
		all.context = clCreateContext(nullptr, 1, &fx.device, nullptr, nullptr, &err);
		OK(clSetContextDestructorCallback(all.context, note_gone, &all));
		all.queue = clCreateCommandQueue(all.context, fx.device, 0, &err);
		std::vector<cl_uint> host(n);
		all.buffer = clCreateBuffer(all.context, CL_MEM_USE_HOST_PTR, 4 * n, host.data(), &err);
		const char *text = source;
		cl_program p = clCreateProgramWithSource(all.context, 1, &text, nullptr, &err);
		OK(clBuildProgram(p, 0, nullptr, "", nullptr, nullptr));
		all.kernel = clCreateKernel(p, "add", &err);
		OK(clReleaseProgram(p));
		cl_event gate = clCreateUserEvent(all.context, &err), done = nullptr;
		launch(all.queue, all.kernel, all.buffer, 7, &done, gate);
		OK(clSetEventCallback(done, CL_COMPLETE, release_all, &all));
		OK(clSetUserEventStatus(gate, CL_COMPLETE));
		OK(clReleaseEvent(gate));
		wait_until(all.gone, 1);
		for (cl_uint v : host)
			CHECK_EQ(v, 7u);
	}
}

namespace
{

struct chain {
	const fixture &fx;
	cl_mem buffer;
	std::atomic<int> left;
	std::atomic<int> ended{0};
};

// Each enqueues the next one.
void CL_CALLBACK go_on(cl_event e, cl_int status, void *arg)
{
	auto *c = static_cast<chain *>(arg);
	CHECK_EQ(status, cl_int(CL_COMPLETE));
	if (e)
		OK(clReleaseEvent(e));
	if (!c->left--) {
		c->ended = 1;
		return;
	}
	const auto v = cl_uint(c->left.load());
	cl_event done = nullptr;
	OK(clEnqueueFillBuffer(c->fx.queue, c->buffer, &v, 4, 0, 4 * n, 0, nullptr, &done));
	OK(clSetEventCallback(done, CL_COMPLETE, go_on, c));
	OK(clFlush(c->fx.queue));
}

} // namespace

TEST(callbacks_enqueue)
{
	chain c = {.fx = fx, .buffer = fx.buffer(4 * n), .left = 200};
	go_on(nullptr, CL_COMPLETE, &c);
	wait_until(c.ended, 1);
	cl_uint last = 1;
	OK(clEnqueueReadBuffer(fx.queue, c.buffer, CL_TRUE, 0, 4, &last, 0, nullptr, nullptr));
	CHECK_EQ(last, 0u);
	OK(clReleaseMemObject(c.buffer));
}

// The program ends while commands wait for what will never be, others are under way, and nothing is released.
TEST(exit_with_commands)
{
	cl_mem m = fx.buffer(4 * n);
	cl_kernel k = fx.kernel(source, "add");
	cl_command_queue q = fx.unordered();
	for (int i = 0; i < 100; i++)
		launch(q, k, m, 1);
	launch(q, k, m, 1, nullptr, user_event(fx));
	cl_int err = 1;
	clEnqueueMapBuffer(q, m, CL_FALSE, CL_MAP_WRITE, 0, 4, 0, nullptr, nullptr, &err);
	OK(err);
	exit(0);
}
