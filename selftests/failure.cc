// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A device fails. The toucher gets SIGBUS, the callback and gpuvm_stat() get the reason, nobody hangs, nothing wrong is
// shown, and other arrays go on.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/process.h"
#include "harness/signal_of_touch.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr uint32_t kinds = kind::map | kind::mmapped | kind::library | kind::slice;

struct report {
	int code;
	void *hostptr;
	std::string message;
};

struct {
	std::mutex lock;
	std::vector<report> all;
} reported;

void on_error(int code, void *hostptr, const char *message, void *)
{
	std::lock_guard guard(reported.lock);
	reported.all.push_back({code, hostptr, message});
}

// Returns the first report with @text in its message. The callback runs on another thread, a little later.
report wait_for_report(const char *text = "")
{
	report found;
	wait_until([&] {
		std::lock_guard guard(reported.lock);
		for (auto &r : reported.all)
			if (r.message.find(text) != std::string::npos) {
				found = r;
				return true;
			}
		return false;
	});
	return found;
}

// Returns a byte in a whole page, somewhere in the middle.
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
	report r = wait_for_report();
	CHECK(r.code < 0);
	CHECK(r.hostptr == a.data());
	CHECK(!r.message.empty() && r.message.find('\n') == std::string::npos);
	CHECK(count_of(GPUVM_STAT_FAILURES) >= 1);
	const char *text = nullptr;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_LAST_FAILURE, &text));
	CHECK(text && *text);
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
	fx.dev().faults()->delay_us = 20000; // makes all wait when it fails
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
		a.write_on_host(0, a.size(), 20); // must be sent at the begin
		fx.dev().faults()->error = error;
		fx.dev().faults()->fail_writes = true;
		CHECK_ERR(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE), GPUVM_EDEVALLOC);
		CHECK_ERR(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY), GPUVM_EDEVALLOC);
		// The begin counts as never called, so there is nothing to end.
		CHECK_ERR(gpuvm_kernel_end(a.data(), 0), GPUVM_ESTATE);
		a.check("host data after a begin that failed");
		a.write_on_host(0, a.size(), 30);
		a.check("and after a write");
		fx.dev().faults()->fail_writes = false;
		a.add_everywhere(0, 1);
		a.check("when the device is well again");
	}
}

// A begin that failed leaves no trace on kernels that are at work.
TEST(failed_writer_beside_a_reader, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	for (size_t part : {a.size(), 40 * page}) {
		const bool whole = part == a.size();
		auto begin = [&](int mode) {
			return whole ? gpuvm_kernel_begin(a.data(), 0, mode)
				     : gpuvm_kernel_begin_range(a.data(), part, 0, mode);
		};
		auto end = [&] {
			return whole ? gpuvm_kernel_end(a.data(), 0) : gpuvm_kernel_end_range(a.data(), part, 0);
		};
		CHECK_OK(begin(GPUVM_READ_ONLY));
		a.write_on_host(0, part, 40); // must be sent at the begin
		fx.dev().faults()->fail_writes = true;
		CHECK_ERR(begin(GPUVM_READ_WRITE), GPUVM_EDEVALLOC);
		fx.dev().faults()->fail_writes = false;
		a.write_on_host(part / 2, 100, 50);
		CHECK_OK(end());
		a.check("host writes beside a reader");
		CHECK_ERR(end(), GPUVM_ESTATE);
		a.add_everywhere(0, 1);
		a.check();
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
	a.check(page, a.size() - 2 * page, "after the end that failed");
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	a.check("after the end that worked");
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

// The second link of an array brings what its edges need from the device; if that fails, nothing was done.
TEST(link_on_device_fails, .traps = trap::all, .devices = device::hostcb2,
     .kinds = kind::map | kind::mmapped | kind::heap)
{
	fixture fx(t);
	block memory(t.v.kind, 27 * page);
	array a(fx, memory.data() + 100, 25 * page); // gives it edges whatever the allocator does
	a.link(0);
	for (bool on_device : {false, true}) {
		if (on_device)
			a.add_everywhere(0, 1);
		fx.dev().faults()->fail_reads = true;
		CHECK_ERR(gpuvm_link(a.data(), a.size(), 1, a.buffer(1), GPUVM_ON_DEVICE), GPUVM_EDEVALLOC);
		fx.dev().faults()->fail_reads = false;
		CHECK(gpuvm_xlate(a.data(), 1) == nullptr);
		CHECK(gpuvm_xlate(a.data(), 0) == a.buffer(0));
		a.check("after the link that failed");
		a.write_on_host(page, 3 * page, 60);
		a.add_everywhere(0, 1);
		a.check("used on the first device");
	}
	a.link(1);
	a.add_everywhere(1, 1);
	a.check("linked at last");
}

namespace
{
// An array with a chunk that could not be brought home loses its only link, and goes on as ordinary memory.
void unlink_failed_array(const context &t, int flags)
{
	catch_signals();
	fixture fx(t, GPUVM_STAT | flags);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	for (uint32_t round = 0; round < 3; round++) {
		a.add_everywhere(0, 1);
		fx.dev().faults()->fail_reads = true;
		CHECK_EQ(touch(inside(a)), SIGBUS);
		fx.dev().faults()->fail_reads = false;
		CHECK_OK(gpuvm_unlink(a.data(), 0));
		if (flags & GPUVM_UNLINK_NO_SYNC_BACK)
			a.write_on_host(0, a.size(), round);
		a.check("unlinked");
		int ends[2];
		CHECK_SYS(pipe(ends));
		CHECK_EQ(write(ends[1], inside(a), page), page);
		CHECK_EQ(read(ends[0], const_cast<uint8_t *>(inside(a)), page), page);
		close(ends[0]);
		close(ends[1]);
		a.link();
	}
	a.add_everywhere(0, 1);
	a.check("linked again");
}
} // namespace

TEST(unlink_after_failure, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	unlink_failed_array(t, GPUVM_NONE);
}

TEST(unlink_after_failure_without_sync, .traps = trap::all, .devices = device::hostcb, .kinds = kinds)
{
	unlink_failed_array(t, GPUVM_UNLINK_NO_SYNC_BACK);
}

// Links that the library has to remove at once can take contents with them. Then it says so.
TEST(lost_contents_are_reported, .traps = trap::all, .devices = device::hostcb, .kinds = kind::map | kind::mmapped)
{
	skip_under_sanitizers("its allocator comes before the library's interposers");
	fixture fx(t);
	CHECK_OK(gpuvm_set_error_callback(on_error, nullptr));
	array a(fx, t.v.kind, 100 * page);
	a.link();
	a.add_everywhere(0, 1);
	fx.dev().faults()->fail_reads = true;
	uint8_t *p = a.data();
	if (t.v.kind == kind::map) {
		CHECK_SYS(munmap(p + 20 * page, 20 * page));
	} else {
		p = static_cast<uint8_t *>(realloc(p, 2 * a.size()));
		CHECK(p);
	}
	CHECK(wait_for_report("lost").hostptr == a.data());
	fx.dev().faults()->fail_reads = false;
	// It is memory again, whatever is in it.
	memset(p, 0x33, 20 * page);
	if (t.v.kind == kind::mmapped)
		free(p);
	else
		CHECK_SYS(munmap(p, a.size()));
	a.abandon();
}

// A system call on data that can't be read back fails, and does not hang.
TEST(kernel_mode_touch_fails, .traps = trap::uffd | trap::kmod, .devices = device::hostcb, .kinds = kinds)
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

TEST(buffer_too_small, .traps = trap::best, .devices = device::opencl | device::cuda)
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
	report r = wait_for_report();
	CHECK(r.hostptr == a.data());
	CHECK(!r.message.empty());
	fx.dev().faults()->block_reads = false;
	toucher.join();
	a.check();
}
