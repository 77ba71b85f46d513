// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/lock.h"

#include "os/all_signals.h"
#include "os/clock.h"
#include "os/log.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace het
{

namespace
{

constexpr int spins_before_sleep = 100;

// Counts the signals_blocked objects that live in this thread.
thread_local unsigned blocked_depth __attribute__((tls_model("initial-exec")));

#ifdef HET_DEBUG_LOCKS
// Bit n says that this thread holds a lock of rank n.
thread_local unsigned held_ranks __attribute__((tls_model("initial-exec")));

void note_lock(lock_rank rank)
{
	if (held_ranks >> unsigned(rank)) {
		fail(-1, "lock order: rank %u taken while ranks 0x%x are held", unsigned(rank), held_ranks);
		abort();
	}
	held_ranks |= 1u << unsigned(rank);
}

void note_unlock(lock_rank rank)
{
	held_ranks &= ~(1u << unsigned(rank));
}
#else
void note_lock(lock_rank) {}
void note_unlock(lock_rank) {}
#endif

long futex(const std::atomic<uint32_t> *word, int op, uint32_t value, const timespec *timeout)
{
	int saved = errno;
	long r = syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, 0);
	errno = saved;
	return r;
}

} // namespace

void futex_wait(const std::atomic<uint32_t> *word, uint32_t expected, int64_t timeout_ns)
{
	timespec t{timeout_ns / 1000000000, timeout_ns % 1000000000};
	futex(word, FUTEX_WAIT, expected, timeout_ns < 0 ? nullptr : &t);
}

void futex_wake(const std::atomic<uint32_t> *word, int count)
{
	futex(word, FUTEX_WAKE, uint32_t(count), nullptr);
}

bool futex_lock::try_lock(lock_rank rank)
{
	uint32_t free = 0;
	if (!word_.compare_exchange_strong(free, 1, std::memory_order_acquire))
		return false;
	note_lock(rank);
	return true;
}

void futex_lock::lock(lock_rank rank)
{
	note_lock(rank);
	for (int i = 0; i < spins_before_sleep; i++) {
		uint32_t free = word_.load(std::memory_order_relaxed); // a look leaves the line with the holder
		if (!free && word_.compare_exchange_weak(free, 1, std::memory_order_acquire))
			return;
		cpu_pause();
	}
	while (word_.exchange(2, std::memory_order_acquire) != 0)
		futex_wait(&word_, 2);
}

void futex_lock::unlock(lock_rank rank)
{
	note_unlock(rank);
	if (word_.exchange(0, std::memory_order_release) == 2)
		futex_wake(&word_, 1);
}

// The count is above 0 only while no handler can run and see it.
signals_blocked::signals_blocked()
{
	if (!blocked_depth) {
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all_signals, &saved_, sizeof(saved_));
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_);
	}
	std::atomic_signal_fence(std::memory_order_seq_cst);
	blocked_depth++;
}

signals_blocked::~signals_blocked() noexcept(false)
{
	blocked_depth--;
	std::atomic_signal_fence(std::memory_order_seq_cst);
	if (blocked_depth)
		return;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &saved_, nullptr, sizeof(saved_));
	pthread_setcancelstate(cancel_state_, nullptr);
}

unsigned exchange_blocked_depth(unsigned depth)
{
	return std::exchange(blocked_depth, depth);
}

} // namespace het
