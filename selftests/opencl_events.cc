// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs give events of OpenCL to gpuvm_kernel_end_event(). This tests who holds them, and what becomes of those that
// fail.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/signal_of_touch.h"

#include <CL/cl.h>
#include <csignal>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr uint32_t kinds = kind::map | kind::library;

#define CHECK_CL(CALL)                                            \
	do {                                                      \
		cl_int err_ = (CALL);                             \
		if (err_ != CL_SUCCESS)                           \
			FAIL("%s: OpenCL error %d", #CALL, err_); \
	} while (0)

// The event ends when the test says so.
class user_event
{
      public:
	explicit user_event(const array &of)
	{
		cl_context context;
		CHECK_CL(clGetMemObjectInfo(static_cast<cl_mem>(of.buffer(0)), CL_MEM_CONTEXT, sizeof context, &context,
					    nullptr));
		cl_int err;
		event_ = clCreateUserEvent(context, &err);
		CHECK_CL(err);
	}
	~user_event() { CHECK_CL(clReleaseEvent(event_)); }

	void *handle() { return event_; }
	// @status is CL_COMPLETE, or the error that the kernel ended with.
	void finish(cl_int status) { CHECK_CL(clSetUserEventStatus(event_, status)); }
	unsigned references() const
	{
		cl_uint n = 0;
		CHECK_CL(clGetEventInfo(event_, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, nullptr));
		return n;
	}

      private:
	cl_event event_;
};
} // namespace

TEST(given_back_when_used, .traps = trap::all, .devices = device::opencl, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 20 * page);
	a.link();
	for (int access : {GPUVM_READ_ONLY, GPUVM_READ_WRITE}) {
		user_event e(a);
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, access));
		CHECK_OK(gpuvm_kernel_end_event(a.data(), 0, e.handle()));
		CHECK(e.references() > 1);
		e.finish(CL_COMPLETE);
		a.add_everywhere(0, 1); // waits for the kernel
		CHECK_EQ(e.references(), 1);
		a.check();
	}
	user_event e(a);
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	CHECK_OK(gpuvm_kernel_end_event(a.data(), 0, e.handle()));
	e.finish(CL_COMPLETE);
	CHECK_OK(gpuvm_unlink(a.data(), 0));
	CHECK_EQ(e.references(), 1);
	a.check("unlinked");
}

TEST(given_back_when_refused, .traps = trap::best, .devices = device::opencl2)
{
	fixture fx(t);
	array whole(fx, kind::map, 20 * page), edges(fx, kind::slice, 20 * page);
	whole.link(0);
	edges.link(0);
	user_event e(whole);
	CHECK_ERR(gpuvm_kernel_end_event(whole.data(), 0, e.handle()), GPUVM_ESTATE);
	CHECK_ERR(gpuvm_kernel_end_event(whole.data(), 1, e.handle()), GPUVM_ENOLINK);
	CHECK_OK(gpuvm_kernel_begin(edges.data(), 0, GPUVM_READ_WRITE));
	CHECK_ERR(gpuvm_kernel_end_event(edges.data(), 0, e.handle()), GPUVM_ESTATE);
	CHECK_EQ(e.references(), 1);
	CHECK_OK(gpuvm_kernel_end(edges.data(), 0));
	edges.check();
}

// The kernel before has failed: its event and that of the next end are given back all the same, once each.
TEST(given_back_after_a_failure, .traps = trap::all, .devices = device::opencl, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 20 * page);
	a.link();
	for (int access : {GPUVM_READ_ONLY, GPUVM_READ_WRITE}) {
		user_event failed(a), next(a);
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, access));
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, access));
		CHECK_OK(gpuvm_kernel_end_event(a.data(), 0, failed.handle()));
		failed.finish(CL_OUT_OF_RESOURCES);
		int err = gpuvm_kernel_end_event(a.data(), 0, next.handle());
		note("the end after a kernel that failed: %d", err);
		next.finish(CL_COMPLETE);
		// Whoever waits for them may get the error once.
		err = gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY) ?: gpuvm_kernel_end(a.data(), 0);
		note("a begin and end after that: %d", err);
		for (int round = 0; round < 2; round++) {
			a.add_everywhere(0, 1);
			a.check("after a kernel that failed");
		}
		CHECK_EQ(failed.references(), 1);
		CHECK_EQ(next.references(), 1);
	}
}

// Two devices have the data, and what the fetch from the first one has to wait for fails: there is the other one.
TEST(touch_after_a_failure, .traps = trap::all, .devices = device::opencl2, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 40 * page);
	a.link_everywhere();
	for (unsigned reader : {1u, 0u}) {
		a.add_everywhere(1 - reader, 1);
		user_event e(a);
		CHECK_OK(gpuvm_kernel_begin(a.data(), reader, GPUVM_READ_ONLY));
		CHECK_OK(gpuvm_kernel_end_event(a.data(), reader, e.handle()));
		e.finish(CL_OUT_OF_RESOURCES);
		a.check("touched after a reader that failed");
	}
}

// Bytes that are expected to be touched do not come home behind a kernel that has failed, and the touch hears of it.
TEST(foreseen_behind_a_failure, .traps = trap::all, .devices = device::opencl, .kinds = kinds)
{
	restart_with(t, {"GPUVM_FORESIGHT=always"});
	fixture fx(t);
	array a(fx, t.v.kind, 40 * page);
	a.link();
	a.add_everywhere(0, 1);
	a.check();
	catch_signals();
	for (int round = 0; round < 3; round++) {
		unsigned long long foreseen = count_of(GPUVM_STAT_FORESEEN);
		user_event e(a);
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
		CHECK_OK(gpuvm_kernel_end_event(a.data(), 0, e.handle()));
		stderr_capture quiet;
		e.finish(CL_OUT_OF_RESOURCES);
		// It is asked within 50 microseconds, or soon after.
		sleep_ms(5);
		CHECK_EQ(touch(a.data()), SIGBUS);
		CHECK_EQ(count_of(GPUVM_STAT_FORESEEN), foreseen);
		const char *text = nullptr;
		CHECK_OK(gpuvm_stat(GPUVM_STAT_LAST_FAILURE, &text));
		CHECK(text && strstr(text, "SIGBUS"));
		a.add_everywhere(0, 1);
		a.check("after a kernel that failed");
	}
}
