// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// When a device fails: the toucher gets SIGBUS, the callback and gpuvm_stat() get the reason, nobody hangs, nothing
// wrong is shown, other arrays go on.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/process.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr uint32_t kinds = kind::map | kind::mmapped | kind::library | kind::slice;

struct {
	std::atomic<unsigned> calls{0};
	std::mutex lock;
	int code = 0;
	void *hostptr = nullptr;
	std::string message;
} reported;

void on_error(int code, void *hostptr, const char *message, void *)
{
	std::lock_guard guard(reported.lock);
	reported.code = code;
	reported.hostptr = hostptr;
	reported.message = message;
	reported.calls++;
}

void wait_for_report()
{
	uint64_t start = now_ns();
	while (!reported.calls && seconds_since(start) < 5)
		sleep_ms(1);
	CHECK(reported.calls > 0);
}

thread_local sigjmp_buf back;
thread_local volatile sig_atomic_t got_signal;

void jump_back(int signal)
{
	got_signal = signal;
	siglongjmp(back, 1);
}

void catch_signals()
{
	struct sigaction action = {};
	action.sa_handler = jump_back;
	action.sa_flags = SA_NODEFER;
	CHECK_SYS(sigaction(SIGBUS, &action, nullptr));
	CHECK_SYS(sigaction(SIGSEGV, &action, nullptr));
}

// Signal that a touch gets, 0 if none.
int touch(const uint8_t *p, bool write = false)
{
	got_signal = 0;
	if (sigsetjmp(back, 1) == 0) {
		volatile uint8_t *at = const_cast<uint8_t *>(p);
		uint8_t value = *at;
		if (write)
			*at = value;
	}
	return got_signal;
}

// A byte in a whole page, somewhere in the middle.
const uint8_t *inside(array &a)
{
	return a.data() + a.size() / 2;
}
} // namespace

TEST(read_fails, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	catch_signals();
	fixture fx(t);
	CHECK_OK(gpuvm_set_error_callback(on_error, nullptr));
	array a(fx, t.v.kind, 100 * page), other(fx, t.v.kind, 100 * page);
	a.link();
	other.link();
	a.add_everywhere(0, 1);
	other.add_everywhere(0, 1);
	fx.dev().faults()->fail_reads = true;
	CHECK_EQ(touch(inside(a)), SIGBUS);
	CHECK_EQ(touch(inside(a), true), SIGBUS);
	wait_for_report();
	CHECK(count_of(GPUVM_STAT_FAILURES) >= 1);
	const char *text = nullptr;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_LAST_FAILURE, &text));
	CHECK(text && *text);
	{
		std::lock_guard guard(reported.lock);
		CHECK(reported.code < 0);
		CHECK(reported.hostptr == a.data());
		CHECK(!reported.message.empty() && reported.message.find('\n') == std::string::npos);
	}
	fx.dev().faults()->fail_reads = false;
	other.check("array that nobody touched while the device failed");
	other.add_everywhere(0, 1);
	other.check();
}

TEST(default_action_is_death, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	skip_under_sanitizers("it handles these signals itself");
	ending e = run_process(10, [&] {
		fixture fx(t);
		array a(fx, t.v.kind, 100 * page);
		a.link();
		a.add_everywhere(0, 1);
		fx.dev().faults()->fail_reads = true;
		a.check();
	});
	expect_killed_by(e, SIGBUS, "touch of data that can't be read back");
}

TEST(reason_on_stderr, .traps = trap::all, .devices = device::hostcb)
{
	catch_signals();
	fixture fx(t);
	array a(fx, kind::map, 100 * page);
	a.link();
	a.add_everywhere(0, 1);
	fx.dev().faults()->fail_reads = true;
	stderr_capture capture;
	int signal = touch(inside(a));
	std::string text = capture.text();
	CHECK_EQ(signal, SIGBUS);
	CHECK(!text.empty());
	fx.dev().faults()->fail_reads = false;
}

TEST(all_touchers_get_it, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	catch_signals();
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page), other(fx, t.v.kind, 50 * page);
	a.link();
	other.link();
	a.add_everywhere(0, 1);
	other.add_everywhere(0, 1);
	fx.dev().faults()->delay_us = 20000; // all are waiting when it fails
	fx.dev().faults()->fail_reads = true;
	std::atomic<unsigned> buses{0};
	std::vector<std::thread> threads;
	for (int i = 0; i < 8; i++)
		threads.emplace_back([&, i] { buses += touch(inside(a) + i * 512, i % 2) == SIGBUS; });
	for (auto &th : threads)
		th.join();
	CHECK_EQ(buses, 8);
	fx.dev().faults()->fail_reads = false;
	other.check();
}

// The chunks that came home before the failure stay right; a chunk of which nothing came is never shown.
TEST(never_wrong_data, .traps = trap::all, .devices = device::hostcb, .kinds = kind::map | kind::library)
{
	catch_signals();
	fixture fx(t);
	array a(fx, t.v.kind, 16 << 20);
	a.link();
	a.add_everywhere(0, 1);
	a.check(0, 2 << 20);
	std::vector<uint8_t> home(2 << 20);
	memcpy(home.data(), a.data(), home.size());
	fx.dev().faults()->fail_reads = true;
	unsigned buses = 0;
	for (size_t at = 0; at < a.size(); at += 50000)
		if (touch(a.data() + at) == SIGBUS)
			buses++;
		else
			CHECK_EQ(a.data()[at], a.model()[at]);
	CHECK(buses > 0);
	CHECK_BYTES(a.data(), home.data(), home.size(), "what was at home");
	fx.dev().faults()->fail_reads = false;
}

TEST(write_fails_at_begin, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	for (int error : {GPUVM_ERROR, GPUVM_EDEVALLOC}) {
		a.write_on_host(0, a.size(), 20); // to be sent
		fx.dev().faults()->error = error;
		fx.dev().faults()->fail_writes = true;
		CHECK_ERR(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE), GPUVM_EDEVALLOC);
		CHECK_ERR(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY), GPUVM_EDEVALLOC);
		// as if it had not been called
		CHECK_ERR(gpuvm_kernel_end(a.data(), 0), GPUVM_ESTATE);
		a.check("host data after a begin that failed");
		a.write_on_host(0, a.size(), 30);
		a.check("and after a write");
		fx.dev().faults()->fail_writes = false;
		a.add_everywhere(0, 1);
		a.check("when the device is well again");
	}
}

TEST(end_fails, .traps = trap::all, .devices = device::hostcb, .kinds = kind::slice)
{
	catch_signals();
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page), other(fx, t.v.kind, 10 * page);
	a.link();
	other.link();
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	a.run(0, {kernel::add, 0, a.size(), 1});
	fx.dev().faults()->fail_reads = true;
	CHECK_ERR(gpuvm_kernel_end(a.data(), 0), GPUVM_EDEVALLOC);
	fx.dev().faults()->fail_reads = false;
	// the kernel has ended or can be ended now; the whole pages are right in any case
	int again = gpuvm_kernel_end(a.data(), 0);
	CHECK(again == 0 || again == GPUVM_ESTATE);
	if (again == 0)
		a.check("after the end that worked");
	else
		a.check(page, a.size() - 2 * page, "after the end that failed");
	other.add_everywhere(0, 1);
	other.check();
}

TEST(unlink_fails_and_works_later, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	a.add_everywhere(0, 1);
	fx.dev().faults()->fail_reads = true;
	CHECK_ERR(gpuvm_unlink(a.data(), 0), GPUVM_EDEVALLOC);
	CHECK(gpuvm_xlate(a.data(), 0) == a.buffer(0));
	CHECK(gpuvm_host_begin(a.data(), a.size(), GPUVM_READ_ONLY) != 0);
	fx.dev().faults()->fail_reads = false;
	CHECK_OK(gpuvm_unlink(a.data(), 0));
	a.check("after the unlink that worked");
}

// A system call on data that can't be read back fails, and does not hang.
TEST(kernel_mode_touch_fails, .traps = trap::uffd, .devices = device::hostcb, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	a.add_everywhere(0, 1);
	fx.dev().faults()->fail_reads = true;
	int ends[2];
	CHECK_SYS(pipe(ends));
	ssize_t n = write(ends[1], inside(a), 3 * page);
	CHECK(n < ssize_t(3 * page));
	fx.dev().faults()->fail_reads = false;
}

TEST(threads_go_on, .traps = trap::all, .devices = device::hostcb)
{
	catch_signals();
	fixture fx(t);
	array bad(fx, kind::map, 50 * page);
	bad.link();
	bad.add_everywhere(0, 1);
	std::atomic<bool> stop{false};
	std::vector<std::thread> workers;
	for (unsigned i = 0; i < 3; i++)
		workers.emplace_back([&, i] {
			array a(fx, kind::map, 20 * page, i);
			a.link();
			while (!stop) {
				CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
				CHECK_OK(gpuvm_kernel_end(a.data(), 0));
				a.write_on_host(100, 5000, i);
				a.check();
			}
		});
	fx.dev().faults()->fail_reads = true;
	for (int i = 0; i < 10; i++)
		CHECK_EQ(touch(bad.data() + i * page), SIGBUS);
	fx.dev().faults()->fail_reads = false;
	stop = true;
	for (auto &th : workers)
		th.join();
}

// --- buffers and devices that are too small ----------------------------------

TEST(buffer_too_small, .traps = trap::best, .devices = device::opencl)
{
	fixture fx(t);
	array a(fx, kind::map, 20 * page);
	void *small = fx.dev().new_buffer(0, 10 * page);
	int err = gpuvm_link(a.data(), a.size(), 0, small, GPUVM_ON_HOST);
	CHECK(err < 0);
	CHECK(gpuvm_xlate(a.data(), 0) == nullptr);
	a.link();
	a.add_everywhere(0, 1);
	a.check();
	fx.dev().free_buffer(0, small);
}

// A device that has no memory left refuses the first transfer.
TEST(no_device_memory, .traps = trap::best, .devices = device::hostcb, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	fx.dev().faults()->error = GPUVM_EDEVALLOC;
	fx.dev().faults()->fail_writes = true;
	stderr_capture capture;
	int err = gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE);
	std::string text = capture.text();
	CHECK_ERR(err, GPUVM_EDEVALLOC);
	CHECK(!text.empty());
	a.check("host data");
	fx.dev().faults()->fail_writes = false;
	a.add_everywhere(0, 1);
	a.check();
}

// A fetch that does not end is named; when it does end, all is well.
TEST(watchdog, .traps = trap::all, .devices = device::hostcb)
{
	restart_with(t, {"GPUVM_WATCHDOG=1"});
	fixture fx(t);
	CHECK_OK(gpuvm_set_error_callback(on_error, nullptr));
	array a(fx, kind::map, 20 * page);
	a.link();
	a.add_everywhere(0, 1);
	fx.dev().faults()->block_reads = true;
	std::thread toucher([&] { a.check("touched while the device was stuck"); });
	wait_for_report();
	{
		std::lock_guard guard(reported.lock);
		CHECK(reported.hostptr == a.data());
		CHECK(!reported.message.empty());
	}
	fx.dev().faults()->block_reads = false;
	toucher.join();
	a.check();
}
