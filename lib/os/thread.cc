// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/thread.h"

#include "os/all_signals.h"
#include "os/lock.h"
#include "os/pool.h"

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace het
{

namespace
{

constexpr int urgent_nice = -15;
std::atomic<bool> started_threads{false};

constexpr uint64_t shortest_slice = 100000; // ns

// Counts the faults_taken objects that live in this thread.
thread_local unsigned taken_depth __attribute__((tls_model("initial-exec")));

struct start {
	void (*run)(void *);
	void *arg;
};

void *trampoline(void *p)
{
	start s = *static_cast<start *>(p);
	pool().release(p, sizeof(start));
	s.run(s.arg);
	return nullptr;
}

} // namespace

bool start_thread(const char *name, void (*run)(void *), void *arg)
{
	auto *s = pool_array<start>(1);
	if (!s)
		return false;
	*s = {run, arg};
	signals_blocked inherited;
	pthread_t thread;
	if (pthread_create(&thread, nullptr, trampoline, s)) {
		pool().release(s, sizeof(start));
		return false;
	}
	started_threads.store(true, std::memory_order_relaxed);
	pthread_setname_np(thread, name);
	pthread_detach(thread);
	return true;
}

bool has_started_threads()
{
	return started_threads.load(std::memory_order_relaxed);
}

// The count is above 0 only while faults are taken, whatever a handler sees.
faults_taken::faults_taken()
{
	sigset_t faults;
	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	sigaddset(&faults, SIGBUS);
	if (!taken_depth)
		pthread_sigmask(SIG_UNBLOCK, &faults, &before_);
	std::atomic_signal_fence(std::memory_order_seq_cst);
	taken_depth++;
}

faults_taken::~faults_taken()
{
	taken_depth--;
	std::atomic_signal_fence(std::memory_order_seq_cst);
	if (!taken_depth)
		pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

program_code::program_code() : depth_(exchange_blocked_depth(0)) {}

program_code::~program_code()
{
	if (!depth_)
		return;
	constexpr uint64_t faults = uint64_t{1} << (SIGSEGV - 1) | uint64_t{1} << (SIGBUS - 1);
	const uint64_t blocked = taken_depth ? all_signals & ~faults : all_signals;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, nullptr, sizeof(blocked));
	exchange_blocked_depth(depth_);
}

void wake_soon()
{
	// The kernel has this struct sched_attr in its first version. Since Linux 6.12 the runtime of a normal thread
	// is its slice.
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr{48, SCHED_OTHER, 0, urgent_nice, 0, shortest_slice, 0, 0};
	if (syscall(SYS_sched_setattr, 0, &attr, 0) == 0)
		return;
	attr.nice = 0;
	syscall(SYS_sched_setattr, 0, &attr, 0);
}

unsigned usable_cores()
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return unsigned(CPU_COUNT(&set));
}

unsigned long preemptions()
{
	rusage u;
	return getrusage(RUSAGE_THREAD, &u) ? 0 : (unsigned long)(u.ru_nivcsw);
}

} // namespace het
