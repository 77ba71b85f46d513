// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The program's signal handlers touch arrays, and its own handlers of SIGSEGV and SIGBUS still get what is not the
// library's.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/process.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;

uint64_t load_word(const uint8_t *p)
{
	return __atomic_load_n(reinterpret_cast<const uint64_t *>(p), __ATOMIC_RELAXED);
}

// --- a handler that touches --------------------------------------------------

struct {
	const uint8_t *data;
	size_t pages;
	std::atomic<uint64_t> newest, finished, calls;
} shared;

// Checks the page's one generation number. It may be an old one while a kernel runs, but not older than the last that
// ended.
void touching_handler(int)
{
	int saved = errno;
	uint64_t oldest = shared.finished;
	size_t p = (shared.calls * 0x9e3779b97f4a7c15u >> 33) % shared.pages;
	uint64_t value = load_word(shared.data + p * page);
	if (value < oldest || value > shared.newest)
		FAIL("in a handler: page %zu has generation %llu, not %llu to %llu", p, (unsigned long long)value,
		     (unsigned long long)oldest, (unsigned long long)shared.newest.load());
	shared.calls++;
	errno = saved;
}

void start_alarms(unsigned microseconds)
{
	struct sigaction action = {};
	action.sa_handler = touching_handler;
	action.sa_flags = SA_RESTART;
	CHECK_SYS(sigaction(SIGALRM, &action, nullptr));
	itimerval timer = {{0, long(microseconds)}, {0, long(microseconds)}};
	CHECK_SYS(setitimer(ITIMER_REAL, &timer, nullptr));
}

// --- faults that are not the library's ---------------------------------------

sigjmp_buf back;
volatile sig_atomic_t armed; // tells that a fault is expected
volatile sig_atomic_t last_signal;
void *volatile last_address;

void jump_back(int signal)
{
	if (!armed)
		FAIL("signal %d came to the program's handler, but nothing of the program's caused it", signal);
	armed = 0;
	last_signal = signal;
	siglongjmp(back, 1);
}

void jumping_handler(int signal, siginfo_t *info, void *)
{
	last_address = info->si_addr;
	if (!armed)
		note("si_addr %p, si_code %d", info->si_addr, info->si_code);
	jump_back(signal);
}

void plain_handler(int signal)
{
	jump_back(signal);
}

void install_jumping(int signal)
{
	struct sigaction action = {};
	action.sa_sigaction = jumping_handler;
	action.sa_flags = SA_SIGINFO | SA_NODEFER;
	CHECK_SYS(sigaction(signal, &action, nullptr));
}

void install_plain(int signal)
{
	struct sigaction action = {};
	action.sa_handler = plain_handler;
	action.sa_flags = SA_NODEFER;
	CHECK_SYS(sigaction(signal, &action, nullptr));
}

uint8_t *no_access()
{
	void *p = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED);
	return static_cast<uint8_t *>(p);
}

// Maps a file that has become too short.
uint8_t *truncated_mapping()
{
	int fd = memfd_create("truncated", MFD_CLOEXEC);
	CHECK_SYS(ftruncate(fd, page));
	void *p = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	CHECK_SYS(ftruncate(fd, 0));
	close(fd);
	return static_cast<uint8_t *>(p);
}

void expect_signal(int signal, uint8_t *address, bool with_address)
{
	last_signal = 0;
	last_address = nullptr;
	armed = 1;
	if (sigsetjmp(back, 1) == 0) {
		*static_cast<volatile uint8_t *>(address) = 1;
		FAIL("a write to %p went through", static_cast<void *>(address));
	}
	CHECK_EQ(last_signal, signal);
	if (with_address && last_address != address)
		FAIL("si_addr is %p, not %p", last_address, static_cast<void *>(address));
}

// Touches are served, and foreign faults go to the program's handlers, over and over.
void alternate(array &a, bool with_address)
{
	uint8_t *none = no_access(), *truncated = truncated_mapping();
	for (int round = 0; round < 20; round++) {
		a.add_everywhere(0, 1);
		a.check(round * page, page, "between foreign faults");
		expect_signal(SIGSEGV, none, with_address);
		expect_signal(SIGBUS, truncated, with_address);
		a.write_on_host(round, 1, round);
		a.check("after foreign faults");
	}
	munmap(none, page);
	munmap(truncated, page);
}
} // namespace

namespace
{
// A handler that touches waits for the device's driver, so it must not interrupt the driver itself: neither one of
// its threads (they inherit this mask) nor a call of the program's. The library's calls are the library's business.
class alarms_blocked
{
      public:
	alarms_blocked() { set(SIG_BLOCK); }
	~alarms_blocked() { set(SIG_UNBLOCK); }

      private:
	static void set(int how)
	{
		sigset_t alarms;
		sigemptyset(&alarms);
		sigaddset(&alarms, SIGALRM);
		CHECK_EQ(pthread_sigmask(how, &alarms, nullptr), 0);
	}
};

std::unique_ptr<fixture> fixture_without_alarms(const context &t)
{
	alarms_blocked guard;
	return std::make_unique<fixture>(t);
}

void stamp_between_alarms(array &a, size_t start, uint64_t generation)
{
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	{
		alarms_blocked guard;
		a.run(0, {kernel::stamp, start, a.size() - start, generation});
	}
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
}
} // namespace

TEST(touch_in_handler, .traps = trap::all, .devices = device::plain, .kinds = kind::map | kind::library | kind::mmapped)
{
	skip_under_tsan("handlers race with kernels on purpose");
	auto with_library = fixture_without_alarms(t);
	fixture &fx = *with_library;
	const size_t pages = 100;
	array a(fx, t.v.kind, pages * page);
	a.link();
	// The words lie at the boundaries of the array's own pages.
	size_t start = t.v.kind == kind::mmapped ? page - (reinterpret_cast<uintptr_t>(a.data()) & (page - 1)) : 0;
	size_t stamped = a.size() - start;
	shared.data = a.data() + start;
	shared.pages = stamped / page;
	shared.newest = 1;
	a.kernel_on(0, GPUVM_READ_WRITE, {kernel::stamp, start, stamped, 1});
	shared.finished = 1;
	start_alarms(with_sanitizer ? 2000 : 200);
	uint64_t begin = now_ns();
	for (uint64_t g = 2; seconds_since(begin) < (t.full ? 20 : 1); g++) {
		shared.newest = g;
		stamp_between_alarms(a, start, g);
		shared.finished = g;
		for (size_t p = g % 5; p < shared.pages; p += 7)
			CHECK_EQ(load_word(shared.data + p * page), g);
	}
	itimerval off = {};
	setitimer(ITIMER_REAL, &off, nullptr);
	CHECK(shared.calls > 10);
	a.check();
}

// The handler interrupts link, unlink and the touches of several threads as well.
TEST(handler_beside_link, .traps = trap::all, .devices = device::host, .kinds = kind::map | kind::library)
{
	skip_under_tsan("handlers race with kernels on purpose");
	fixture fx(t);
	const size_t pages = 64;
	array a(fx, t.v.kind, pages * page), other(fx, t.v.kind, 100000);
	a.link();
	a.kernel_on(0, GPUVM_READ_WRITE, {kernel::stamp, 0, a.size(), 1});
	shared.data = a.data();
	shared.pages = pages;
	shared.newest = shared.finished = 1;
	start_alarms(with_sanitizer ? 2000 : 200);
	uint64_t begin = now_ns();
	std::thread busy([&] {
		while (seconds_since(begin) < 0.8) {
			other.link();
			other.add_everywhere(0, 1);
			other.check();
			CHECK_OK(gpuvm_unlink(other.data(), 0));
		}
	});
	for (uint64_t g = 2; seconds_since(begin) < 0.8; g++) {
		shared.newest = g;
		a.kernel_on(0, GPUVM_READ_WRITE, {kernel::stamp, 0, a.size(), g});
		shared.finished = g;
		if (g % 8 == 0) {
			// The memory stays readable throughout, with the contents it had.
			CHECK_OK(gpuvm_unlink(a.data(), 0));
			a.link();
		}
	}
	busy.join();
	itimerval off = {};
	setitimer(ITIMER_REAL, &off, nullptr);
	a.check();
	other.check();
}

TEST(handlers_installed_before, .traps = trap::all | trap::sigsegv_stop, .devices = device::plain)
{
	skip_under_tsan("it has a sigaction() of its own");
	install_jumping(SIGSEGV);
	install_jumping(SIGBUS);
	fixture fx(t);
	array a(fx, kind::mmapped, 50 * page);
	a.link();
	alternate(a, true);
}

TEST(handlers_installed_after, .traps = trap::all | trap::sigsegv_stop, .devices = device::plain)
{
	skip_under_tsan("it has a sigaction() of its own");
	fixture fx(t);
	array a(fx, kind::mmapped, 50 * page);
	a.link();
	a.add_everywhere(0, 1);
	install_jumping(SIGSEGV);
	install_jumping(SIGBUS);
	a.check("a touch after the program installed its handlers");
	alternate(a, true);
	// The program sees its own handler when it asks.
	for (int signal : {SIGSEGV, SIGBUS}) {
		struct sigaction now = {};
		CHECK_SYS(sigaction(signal, nullptr, &now));
		CHECK(now.sa_sigaction == jumping_handler && (now.sa_flags & SA_SIGINFO));
	}
}

TEST(handlers_without_siginfo, .traps = trap::all, .devices = device::host)
{
	skip_under_tsan("it has a sigaction() of its own");
	install_plain(SIGSEGV);
	fixture fx(t);
	array a(fx, kind::map, 50 * page);
	a.link();
	install_plain(SIGBUS);
	alternate(a, false);
	signal(SIGSEGV, plain_handler);
	a.add_everywhere(0, 1);
	a.check("after signal()");
	CHECK(signal(SIGSEGV, SIG_DFL) == plain_handler);
	a.add_everywhere(0, 1);
	a.check("after signal(SIG_DFL)");
}

// These touch the library's arrays from inside the program's own fault handler.
namespace
{
array *touched_in_fault;

void touching_fault_handler(int signal, siginfo_t *, void *)
{
	touched_in_fault->check("in the program's SIGSEGV handler");
	jump_back(signal);
}
} // namespace

TEST(touch_in_fault_handler, .traps = trap::uffd | trap::kmod, .devices = device::host,
     .kinds = kind::map | kind::slice)
{
	skip_under_tsan("it has a sigaction() of its own");
	fixture fx(t);
	array a(fx, t.v.kind, 50 * page);
	a.link();
	touched_in_fault = &a;
	struct sigaction action = {};
	action.sa_sigaction = touching_fault_handler;
	action.sa_flags = SA_SIGINFO | SA_NODEFER;
	CHECK_SYS(sigaction(SIGSEGV, &action, nullptr));
	uint8_t *none = no_access();
	for (int round = 0; round < 10; round++) {
		a.add_everywhere(0, 1);
		expect_signal(SIGSEGV, none, false);
	}
}

// Without a handler of the program's the default action kills, with the right signal.
TEST(default_action, .traps = trap::all | trap::sigsegv_stop, .devices = device::host)
{
	skip_under_sanitizers("it handles these signals itself");
	auto die_after_touches = [&](uint8_t *(*where)()) {
		return run_process(5, [&] {
			fixture fx(t);
			array a(fx, kind::map, 10 * page);
			a.link();
			a.add_everywhere(0, 1);
			a.check();
			*static_cast<volatile uint8_t *>(where()) = 1;
		});
	};
	expect_killed_by(die_after_touches(no_access), SIGSEGV, "write to memory without access");
	expect_killed_by(die_after_touches(truncated_mapping), SIGBUS, "write behind the end of a file");
	expect_killed_by(die_after_touches([]() -> uint8_t * { return nullptr; }), SIGSEGV, "write through null");
}

TEST(ignored_and_restored, .traps = trap::all, .devices = device::host)
{
	skip_under_sanitizers("it handles these signals itself");
	// kill() sends it, which is not a fault, so ignoring it does nothing.
	expect_success(run_process(5,
				   [&] {
					   signal(SIGSEGV, SIG_IGN);
					   signal(SIGBUS, SIG_IGN);
					   fixture fx(t);
					   array a(fx, kind::map, 10 * page);
					   a.link();
					   a.add_everywhere(0, 1);
					   raise(SIGSEGV);
					   raise(SIGBUS);
					   a.check();
				   }),
		       "ignored signals");
	expect_killed_by(run_process(5,
				     [&] {
					     fixture fx(t);
					     raise(SIGSEGV);
				     }),
			 SIGSEGV, "raise(SIGSEGV)");
	expect_killed_by(run_process(5,
				     [&] {
					     fixture fx(t);
					     raise(SIGBUS);
				     }),
			 SIGBUS, "raise(SIGBUS)");
}

// The full trap needs no signal: a toucher may block all of them.
TEST(all_signals_blocked, .traps = trap::uffd | trap::kmod, .devices = device::single, .kinds = kind::map | kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	sigset_t all;
	sigfillset(&all);
	CHECK_EQ(pthread_sigmask(SIG_BLOCK, &all, nullptr), 0);
	for (int round = 0; round < 5; round++) {
		a.add_everywhere(0, 1);
		a.check();
	}
}

// Handlers run on an alternate stack, and threads have small stacks.
TEST(alternate_stack, .traps = trap::all, .devices = device::plain, .kinds = kind::map)
{
	skip_under_tsan("it runs handlers with all signals blocked");
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link();
	static uint8_t stack[64 << 10];
	stack_t alternate_stack = {};
	alternate_stack.ss_sp = stack;
	alternate_stack.ss_size = sizeof stack;
	CHECK_SYS(sigaltstack(&alternate_stack, nullptr));
	static array *touched;
	touched = &a;
	struct sigaction action = {};
	action.sa_handler = [](int) { touched->check("on an alternate stack"); };
	action.sa_flags = SA_ONSTACK;
	CHECK_SYS(sigaction(SIGUSR1, &action, nullptr));
	for (int round = 0; round < 10; round++) {
		a.add_everywhere(0, 1);
		raise(SIGUSR1);
	}
}
