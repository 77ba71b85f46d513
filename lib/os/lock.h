// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Defines a futex lock of four bytes, and the rules for holding one.
//
// Why not std::mutex: a toucher takes locks inside a signal handler (traps uffd-sigbus and sigsegv), and
// pthread mutexes promise nothing there; and there is one lock an array, so size counts.
//
// The rule that makes this safe: whoever holds a lock of the library blocks all signals, touches no memory
// that can be trapped, and makes no call of a device's API. So a holder always gets on, and a
// toucher or a resolver may wait for it. Only the runtime's workers, which run the program's code between their locks,
// have SIGSEGV and SIGBUS open all the time.
//
// Lock order (a thread takes locks of rising rank only; checked in debug builds, -DHET_DEBUG_LOCKS):
//   1 driver      runtime: one thread at a time builds a program, or hands commands to a device; devices are
//                 called under it
//   2 ranges      runtime: host ranges become links; devices are called under it
//   3 graph       runtime: which command waits for which; which device does what of a split launch
//   4 structure   link, unlink, fork, gpuvm_malloc: who is linked where; the only lock of lib/ under which devices are
//                 called
//   5 opening     runtime: a device's context is made
//   6 lead        which resolver listens for touches
//   7 array       chunk states of one array; held across 'check state + map' and 'change state + unmap'
//   8 pool        the library's own memory
//   9 leaf        held for a few instructions: mailboxes, lane pools, error queue
// Those of the runtime are never waited for by a toucher or a resolver; signals need not be blocked.
// Readers of the address index take no lock; its writers hold the structure lock.
#pragma once

#include <atomic>
#include <cstdint>

namespace het
{

enum class lock_rank : uint8_t { driver = 1, ranges, graph, structure, opening, lead, array, pool, leaf };

class futex_lock
{
      public:
	void lock(lock_rank rank);
	bool try_lock(lock_rank rank);
	void unlock(lock_rank rank);

      private:
	// 0 is free, 1 is held, 2 is held while somebody sleeps
	std::atomic<uint32_t> word_{0};
};

// Sleeps while *word == expected, at most timeout_ns, or for ever if that is negative. It may return early.
void futex_wait(const std::atomic<uint32_t> *word, uint32_t expected, int64_t timeout_ns = -1);
void futex_wake(const std::atomic<uint32_t> *word, int count);

// Blocks all signals of this thread while it lives (not SIGKILL, SIGSTOP), and keeps it from being cancelled: system
// calls of ours are cancellation points. One inside another costs nothing: who takes several locks, one after the
// other, puts one around them. Inside, nobody else changes the thread's mask.
class signals_blocked
{
      public:
	signals_blocked();
	// A thread with asynchronous cancellation ends here.
	~signals_blocked() noexcept(false);
	signals_blocked(const signals_blocked &) = delete;
	signals_blocked &operator=(const signals_blocked &) = delete;

      private:
	// The outermost object saves it.
	uint64_t saved_;
	int cancel_state_;
};

// Returns how many signals_blocked live in this thread, and lets the next one block signals anew if @depth is 0. Only
// class program_code (os/thread.h) changes it.
unsigned exchange_blocked_depth(unsigned depth);

// Holds a lock with all signals blocked. Every caller outside a signal handler or a resolver uses it, but for the
// runtime's own locks.
class guard
{
      public:
	guard(futex_lock &l, lock_rank rank) : lock_(l), rank_(rank) { lock_.lock(rank_); }
	~guard() { lock_.unlock(rank_); }
	guard(const guard &) = delete;
	guard &operator=(const guard &) = delete;

      private:
	signals_blocked signals_;
	futex_lock &lock_;
	lock_rank rank_;
};

// Holds a lock of the runtime's, for which no toucher and no resolver waits: so signals go on.
template <lock_rank rank = lock_rank::leaf> class runtime_guard
{
      public:
	explicit runtime_guard(futex_lock &l) : lock_(l) { lock_.lock(rank); }
	~runtime_guard() { lock_.unlock(rank); }
	runtime_guard(const runtime_guard &) = delete;
	runtime_guard &operator=(const runtime_guard &) = delete;

      private:
	futex_lock &lock_;
};

} // namespace het
