// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs do such things around linked arrays: threads are cancelled, handlers run on a stack of their own, processes
// are not dumpable, system calls are filtered, no descriptors are left, and arrays are sparse.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/pattern.h"
#include "harness/signal_of_touch.h"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <fstream>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;

void live(fixture &fx, uint32_t kind)
{
	array a(fx, kind, 30 * page);
	for (int round = 0; round < 3; round++) {
		a.link();
		a.add_everywhere(0, 1);
		a.check("after a kernel");
		a.write_on_host(7 * page, 3 * page, round);
		a.kernel_on(0, GPUVM_READ_WRITE, {kernel::mix, 0, a.size(), 3});
		a.unlink_everywhere();
		a.check("unlinked");
	}
}

// --- cancellation ------------------------------------------------------------

struct victim {
	array *a;
	unsigned number;
	std::atomic<unsigned> at_work{0};
	pthread_t thread;
};

void *touch_until_cancelled(void *arg)
{
	auto &v = *static_cast<victim *>(arg);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
	v.at_work = 1;
	for (size_t at = v.number * page;; at = (at + 5 * page) % v.a->size())
		*static_cast<volatile uint8_t *>(v.a->data() + at);
}

void *call_until_cancelled(void *arg)
{
	auto &v = *static_cast<victim *>(arg);
	v.at_work = 1;
	for (;;) {
		pthread_testcancel();
		// Each of these is done, or not begun; another thread's link or bracket may be in its way.
		gpuvm_link(v.a->data(), v.a->size(), 0, v.a->buffer(0), GPUVM_ON_HOST);
		if (!gpuvm_kernel_begin(v.a->data(), 0, GPUVM_READ_WRITE))
			gpuvm_kernel_end(v.a->data(), 0);
		gpuvm_host_begin(v.a->data(), v.a->size(), GPUVM_READ_ONLY);
		gpuvm_unlink(v.a->data(), 0);
	}
}

void start(victim &v, void *(*body)(void *))
{
	CHECK_EQ(pthread_create(&v.thread, nullptr, body, &v), 0);
	while (!v.at_work)
		sched_yield();
}

void cancel(victim &v)
{
	void *result = nullptr;
	CHECK_EQ(pthread_cancel(v.thread), 0);
	CHECK_EQ(pthread_join(v.thread, &result), 0);
	CHECK(result == PTHREAD_CANCELED);
}

// --- a handler on a stack of its own -----------------------------------------

struct {
	const uint8_t *p;
	size_t n;
	unsigned seed;
	std::atomic<bool> right;
} in_handler;

void look_from_handler(int)
{
	bool right = true;
	for (size_t i = 0; i < in_handler.n; i += page / 2)
		right &= in_handler.p[i] == uint8_t(pattern_byte(i, in_handler.seed) + 1);
	in_handler.right = right;
}

// --- filters and limits --------------------------------------------------------

// Refuses userfaultfd(2), as many containers do.
void refuse_userfaultfd()
{
	sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const sock_fprog filter = {std::size(program), program};
	CHECK_SYS(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK_SYS(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}

void use_up_descriptors()
{
	const rlimit few = {64, 64};
	CHECK_SYS(setrlimit(RLIMIT_NOFILE, &few));
	while (dup(STDERR_FILENO) >= 0)
		;
	CHECK_EQ(errno, EMFILE);
}
} // namespace

// Threads that are killed while they touch must leave nothing behind that others would wait for.
TEST(cancelled_while_touching, .traps = trap::all, .devices = device::host | device::hostcb)
{
	skip_under_sanitizers("they do not know asynchronous cancellation");
	fixture fx(t);
	array a(fx, kind::map, 300 * page);
	a.link();
	for (uint64_t round = 0; round < t.rounds(12, 2000); round++) {
		victim v[3];
		for (unsigned i = 0; i < 3; i++) {
			v[i].a = &a;
			v[i].number = i;
			start(v[i], touch_until_cancelled);
		}
		for (victim &one : v) {
			a.add_everywhere(0, 1);
			cancel(one);
		}
		a.check("after threads were cancelled");
	}
}

TEST(cancelled_in_calls, .traps = trap::all, .devices = device::host | device::hostcb, .kinds = kind::map | kind::slice)
{
	skip_under_sanitizers("threads are cancelled inside their interceptors, too");
	fixture fx(t);
	array a(fx, t.v.kind, 30 * page), b(fx, t.v.kind, 30 * page);
	for (uint64_t round = 0; round < t.rounds(50, 3000); round++) {
		victim v[2];
		for (unsigned i = 0; i < 2; i++) {
			v[i].a = i ? &b : &a;
			start(v[i], call_until_cancelled);
		}
		for (victim &one : v)
			cancel(one);
		for (array *one : {&a, &b}) {
			one->unlink_everywhere();
			one->check("after threads were cancelled");
			one->link();
			one->add_everywhere(0, 1);
			one->check("linked again");
			one->unlink_everywhere();
		}
	}
}

// The stack itself may not be linked memory, since the kernel could not push a frame. All else may be.
TEST(handler_on_its_own_stack, .traps = trap::all, .devices = device::host | device::hostcb)
{
	skip_under_tsan("it runs handlers with all signals blocked");
	fixture fx(t);
	array a(fx, kind::map, 100 * page, 3);
	a.link();
	block memory(kind::map, 64 * page);
	const stack_t stack = {memory.data(), 0, memory.size()};
	CHECK_SYS(sigaltstack(&stack, nullptr));
	struct sigaction action = {};
	action.sa_handler = look_from_handler;
	action.sa_flags = SA_ONSTACK;
	CHECK_SYS(sigaction(SIGUSR1, &action, nullptr));
	a.add_everywhere(0, 1);
	in_handler.p = a.data();
	in_handler.n = a.size();
	in_handler.seed = 3;
	CHECK_SYS(raise(SIGUSR1));
	CHECK(in_handler.right);
	const stack_t none = {nullptr, SS_DISABLE, 0};
	CHECK_SYS(sigaltstack(&none, nullptr));
	a.check();
}

// Files in /proc/self may belong to root then.
TEST(not_dumpable, .traps = trap::all, .devices = device::host, .kinds = kind::map | kind::heap | kind::mmapped)
{
	CHECK_SYS(prctl(PR_SET_DUMPABLE, 0));
	fixture fx(t);
	live(fx, t.v.kind);
}

TEST(no_userfaultfd, .traps = trap::best, .devices = device::host, .kinds = kind::map | kind::heap | kind::mmapped)
{
	refuse_userfaultfd();
	fixture fx(t);
	live(fx, t.v.kind);
}

// A call that links needs a descriptor for a moment. Without one it returns an error that says so, and all else goes
// on.
TEST(no_descriptors_left, .traps = trap::all, .devices = device::hostcb, .kinds = kind::map | kind::library)
{
	catch_signals();
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT); // a touch is to fail
	array a(fx, t.v.kind, 50 * page), later(fx, t.v.kind, 50 * page);
	a.link();
	use_up_descriptors();
	a.add_everywhere(0, 1);
	a.check();
	int err = gpuvm_link(later.data(), later.size(), 0, later.buffer(0), GPUVM_ON_HOST);
	if (err)
		CHECK_ERR(err, GPUVM_ESALLOC);
	later.check();
	a.add_everywhere(0, 1);
	fx.dev().faults()->fail_reads = true;
	CHECK_EQ(touch(a.data() + 20 * page), SIGBUS);
	fx.dev().faults()->fail_reads = false;
	a.unlink_everywhere();
	a.check("unlinked");
}

TEST(sparse_array, .traps = trap::all, .devices = device::hostcb, .seconds = 60, .alone = true)
{
	const size_t n = t.full ? size_t(8) << 30 : size_t(256) << 20;
	size_t kilobytes = 0;
	std::ifstream info("/proc/meminfo");
	for (std::string name; info >> name && name != "MemAvailable:";)
		info.ignore(100, '\n');
	info >> kilobytes;
	if (kilobytes < 2 * (n >> 10) || with_sanitizer)
		skip("too little memory");
	fixture fx(t);
	auto map = [&] {
		void *p = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		CHECK(p != MAP_FAILED);
		return static_cast<uint8_t *>(p);
	};
	uint8_t *host = map(), *buffer = map();
	const size_t step = n / 64;
	for (size_t i = 0; i < 64; i += 2)
		fill_pattern(host + i * step + 100, 0, 3000, uint32_t(i));
	CHECK_OK(gpuvm_link(host, n, 0, buffer, GPUVM_ON_HOST));
	for (size_t i = 0; i < 64; i += 4) {
		uint8_t *part = host + i * step;
		CHECK_OK(gpuvm_kernel_begin_range(part, page, 0, GPUVM_READ_WRITE));
		apply({kernel::add, 0, page, 1}, buffer + i * step);
		CHECK_OK(gpuvm_kernel_end_range(part, page, 0));
	}
	CHECK_OK(gpuvm_unlink(host, 0));
	for (size_t i = 0; i < 64; i++)
		for (size_t k = 0; k < page; k++) {
			uint8_t was = i % 2 == 0 && k >= 100 && k < 3100 ? pattern_byte(k - 100, uint32_t(i)) : 0;
			CHECK_EQ(host[i * step + k], uint8_t(was + (i % 4 == 0)));
		}
	munmap(host, n);
	munmap(buffer, n);
}
