// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A process ends in every way while touches wait for a device that does not answer: it must end in time, with the right
// status.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/process.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <pthread.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr double most_seconds = 4;

// Runs @end in a process with two threads that wait for a fetch that does not end.
ending with_stuck_touchers(const context &t, const std::function<void()> &end)
{
	return run_process(most_seconds, [&] {
		fixture fx(t);
		array a(fx, kind::map, 100 * page);
		a.link();
		a.add_everywhere(0, 1);
		fx.dev().faults()->block_reads = true;
		for (int i = 0; i < 2; i++)
			std::thread([&a, i] {
				a.check(i * 30 * page, 1);
				FAIL("a touch went through that can't have been served");
			}).detach();
		sleep_ms(100);
		end();
		FAIL("the process did not end");
	});
}

// Runs @end where nobody waits, but data is on the device.
ending with_data_on_device(const context &t, const std::function<void()> &end)
{
	return run_process(most_seconds, [&] {
		fixture fx(t);
		array a(fx, kind::mmapped, 100 * page), b(fx, kind::slice, 10 * page);
		a.link();
		b.link();
		a.add_everywhere(0, 1);
		b.add_everywhere(0, 1);
		a.check(0, page);
		end();
		FAIL("the process did not end");
	});
}

void expect_exit(const ending &e, int status, const char *what)
{
	if (e.exited(4))
		_exit(4);
	if (!e.exited(status))
		FAIL("%s: %s; expected exit status %d", what, e.text().c_str(), status);
}

// Does what the runtime does when main() returns, without leak checks of sanitizers.
void leave_as_main_does()
{
	exit(3);
}
} // namespace

TEST(stuck_and_exit, .traps = trap::all, .devices = device::hostcb)
{
	skip_under_tsan("it waits for threads at exit");
	expect_exit(with_stuck_touchers(t, leave_as_main_does), 3, "exit()");
}

TEST(stuck_and__exit, .traps = trap::all, .devices = device::hostcb)
{
	expect_exit(with_stuck_touchers(t, [] { _exit(5); }), 5, "_exit()");
}

TEST(stuck_and_quick_exit, .traps = trap::all, .devices = device::hostcb)
{
	expect_exit(with_stuck_touchers(t, [] { quick_exit(6); }), 6, "quick_exit()");
}

TEST(stuck_and_abort, .traps = trap::all, .devices = device::hostcb)
{
	skip_under_sanitizers("it handles this signal itself");
	expect_killed_by(with_stuck_touchers(t, [] { abort(); }), SIGABRT, "abort()");
}

TEST(stuck_and_killed, .traps = trap::all, .devices = device::hostcb)
{
	for (int signal : {SIGTERM, SIGINT, SIGKILL})
		expect_killed_by(with_stuck_touchers(t,
						     [=] {
							     // A shell's background jobs ignore SIGINT.
							     ::signal(signal, SIG_DFL);
							     kill(getpid(), signal);
							     sleep(10);
						     }),
				 signal, "kill()");
}

// The main thread itself touches, and another thread ends the process.
TEST(main_thread_is_stuck, .traps = trap::all, .devices = device::hostcb)
{
	ending e = run_process(most_seconds, [&] {
		fixture fx(t);
		array a(fx, kind::map, 100 * page);
		a.link();
		a.add_everywhere(0, 1);
		fx.dev().faults()->block_reads = true;
		std::thread([] {
			sleep_ms(100);
			_exit(7);
		}).detach();
		a.check();
	});
	expect_exit(e, 7, "_exit() on another thread");
}

TEST(stuck_and_exec, .traps = trap::all, .devices = device::hostcb)
{
	expect_exit(with_stuck_touchers(t, [] { execl("/bin/true", "true", nullptr); }), 0, "exec()");
}

TEST(linked_and_exit, .traps = trap::all, .devices = device::plain)
{
	skip_under_sanitizers("exit() looks for leaks and threads");
	expect_exit(with_data_on_device(t, leave_as_main_does), 3, "exit()");
	expect_exit(with_data_on_device(t, [] { quick_exit(6); }), 6, "quick_exit()");
	expect_killed_by(with_data_on_device(t, [] { abort(); }), SIGABRT, "abort()");
}

// Handlers and destructors that run at exit may still touch.
TEST(touch_at_exit, .traps = trap::all, .devices = device::plain)
{
	skip_under_sanitizers("exit() looks for leaks and threads");
	static array *touched;
	auto end = [&](array &a) {
		touched = &a;
		atexit([] {
			touched->check("in a handler of atexit()");
			_exit(9);
		});
		exit(0);
	};
	ending e = run_process(most_seconds, [&] {
		fixture fx(t);
		array a(fx, kind::mmapped, 100 * page);
		a.link();
		a.add_everywhere(0, 1);
		end(a);
	});
	expect_exit(e, 9, "touch in a handler of atexit()");
}

TEST(thread_exit_of_main, .traps = trap::all, .devices = device::plain)
{
	skip_under_sanitizers("exit() looks for leaks and threads");
	// main() leaves by pthread_exit(), so the last thread ends the process.
	ending e = run_process(most_seconds, [&] {
		static fixture *fx = new fixture(t);
		static array *a = new array(*fx, kind::mmapped, 100 * page);
		a->link();
		a->add_everywhere(0, 1);
		std::thread([] {
			sleep_ms(50);
			a->check("after the main thread has gone");
			_exit(8);
		}).detach();
		pthread_exit(nullptr);
	});
	expect_exit(e, 8, "pthread_exit() of the main thread");
}

// The library's threads, which are all that are left, block every signal.
TEST(signal_after_the_last_thread, .traps = trap::all, .devices = device::plain)
{
	skip_under_sanitizers("exit() looks for leaks and threads");
	ending e = run_process(most_seconds, [&] {
		int leaving[2];
		CHECK_SYS(pipe(leaving));
		signal(SIGTERM, SIG_DFL);
		pid_t whole = getpid();
		if (!fork()) {
			char byte;
			CHECK_EQ(read(leaving[0], &byte, 1), 1);
			sleep_ms(300);
			kill(whole, SIGTERM);
			_exit(0);
		}
		new fixture(t);
		CHECK_EQ(write(leaving[1], "x", 1), 1);
		pthread_exit(nullptr);
	});
	expect_killed_by(e, SIGTERM, "SIGTERM after pthread_exit() of the main thread");
}
