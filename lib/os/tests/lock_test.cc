// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/lock.h"

#include "os/clock.h"
#include "os/thread.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace het;

namespace
{

constexpr int64_t millisecond = 1000000;

template <class F> void in_threads(unsigned count, F run)
{
	std::vector<std::thread> threads;
	for (unsigned t = 0; t < count; t++)
		threads.emplace_back(run);
	for (auto &t : threads)
		t.join();
}

void sleep_ms(unsigned ms)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

TEST(futex_lock, has_one_holder_at_a_time)
{
	constexpr unsigned threads = 16, rounds = 4000;
	futex_lock lock;
	// The count is not atomic: two holders at once would lose some, and ThreadSanitizer would see them.
	unsigned count = 0;
	in_threads(threads, [&] {
		for (unsigned i = 0; i < rounds; i++) {
			guard g(lock, lock_rank::leaf);
			count++;
		}
	});
	EXPECT_EQ(count, threads * rounds);
}

TEST(futex_lock, sleepers_are_woken_one_after_the_other)
{
	constexpr unsigned threads = 8;
	futex_lock lock;
	unsigned count = 0;
	lock.lock(lock_rank::array);
	std::atomic<unsigned> waiting{0};
	std::thread all([&] {
		in_threads(threads, [&] {
			waiting++;
			lock.lock(lock_rank::array);
			count++;
			sleep_ms(1); // the others don't spin for so long
			lock.unlock(lock_rank::array);
		});
	});
	while (waiting.load() < threads)
		sleep_ms(1);
	sleep_ms(5);
	EXPECT_EQ(count, 0u);
	lock.unlock(lock_rank::array);
	all.join();
	EXPECT_EQ(count, threads);
}

TEST(futex_lock, try_lock_does_not_wait)
{
	futex_lock lock;
	ASSERT_TRUE(lock.try_lock(lock_rank::lead));
	in_threads(1, [&] { EXPECT_FALSE(lock.try_lock(lock_rank::lead)); });
	lock.unlock(lock_rank::lead);
	in_threads(1, [&] {
		EXPECT_TRUE(lock.try_lock(lock_rank::lead));
		lock.unlock(lock_rank::lead);
	});
}

TEST(futex_lock, try_lock_holds_as_lock_does)
{
	futex_lock lock;
	unsigned count = 0, taken = 0;
	std::atomic<unsigned> successes{0};
	in_threads(8, [&] {
		for (int i = 0; i < 4000; i++) {
			if (!lock.try_lock(lock_rank::leaf))
				continue;
			count++;
			lock.unlock(lock_rank::leaf);
			successes++;
		}
		guard g(lock, lock_rank::leaf);
		taken++;
	});
	EXPECT_EQ(count, successes.load());
	EXPECT_EQ(taken, 8u);
}

TEST(futex_wait, returns_where_the_word_is_another)
{
	std::atomic<uint32_t> word{1};
	futex_wait(&word, 0);
	futex_wait(&word, 0, 3600 * 1000 * millisecond);
}

TEST(futex_wait, ends_after_its_time)
{
	std::atomic<uint32_t> word{0};
	for (int64_t ns : {int64_t{0}, int64_t{1000}, 20 * millisecond, 1010 * millisecond}) {
		uint64_t start = now_ns();
		errno = 1234;
		futex_wait(&word, 0, ns);
		EXPECT_EQ(errno, 1234) << "a signal handler may wait";
		EXPECT_GE(now_ns() - start, uint64_t(ns));
	}
}

TEST(futex_wait, ends_with_a_wake)
{
	std::atomic<uint32_t> word{0};
	std::atomic<unsigned> back{0};
	std::thread sleepers([&] {
		in_threads(4, [&] {
			while (word.load() == 0)
				futex_wait(&word, 0);
			back++;
		});
	});
	sleep_ms(5);
	EXPECT_EQ(back.load(), 0u);
	word.store(1);
	futex_wake(&word, 4);
	sleepers.join();
	EXPECT_EQ(back.load(), 4u);
}

sigset_t blocked_now()
{
	sigset_t set;
	pthread_sigmask(SIG_SETMASK, nullptr, &set);
	return set;
}

bool same_signals(sigset_t a, sigset_t b)
{
	for (int s = 1; s < NSIG; s++) {
		if (sigismember(&a, s) != sigismember(&b, s))
			return false;
	}
	return true;
}

void unblock(int signal)
{
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, signal);
	pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

void expect_all_blocked()
{
	sigset_t set = blocked_now();
	for (int s : {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGALRM, SIGPROF, SIGUSR1, SIGRTMIN, SIGRTMAX})
		EXPECT_EQ(sigismember(&set, s), 1) << s;
	EXPECT_EQ(sigismember(&set, SIGKILL), 0);
}

TEST(signals_blocked, blocks_all_and_restores_what_was)
{
	sigset_t mine;
	sigemptyset(&mine);
	sigaddset(&mine, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &mine, nullptr);
	sigset_t before = blocked_now();
	{
		signals_blocked outer;
		expect_all_blocked();
		{
			signals_blocked inner;
			expect_all_blocked();
		}
		expect_all_blocked();
	}
	EXPECT_TRUE(same_signals(blocked_now(), before));
	EXPECT_EQ(sigismember(&before, SIGUSR2), 1);
	pthread_sigmask(SIG_UNBLOCK, &mine, nullptr);
}

// Threads of the library have signals blocked for life, and setegid() waits for each thread to follow.
TEST(signals_blocked, let_a_program_change_its_identity)
{
	std::atomic<uint32_t> is_blocked{0}, is_over{0};
	std::thread worker([&] {
		signals_blocked for_life;
		{
			const program_code here; // restores the mask
		}
		is_blocked = 1;
		while (!is_over)
			futex_wait(&is_over, 0);
	});
	while (!is_blocked)
		sched_yield();
	EXPECT_EQ(setegid(getegid()), 0);
	is_over = 1;
	futex_wake(&is_over, 1);
	worker.join();
}

// A worker of the runtime's calls the program's code, which may do as it likes with its thread.
TEST(program_code, may_unblock_signals_on_a_thread_that_has_them_blocked)
{
	in_threads(1, [] {
		signals_blocked for_life;
		faults_taken faults;
		const sigset_t before = blocked_now();
		{
			const program_code here;
			unblock(SIGUSR1);
			{
				signals_blocked again;
				expect_all_blocked();
			}
			const sigset_t its_own = blocked_now();
			EXPECT_EQ(sigismember(&its_own, SIGUSR1), 0);
		}
		EXPECT_TRUE(same_signals(blocked_now(), before));
		EXPECT_EQ(sigismember(&before, SIGUSR1), 1);
		EXPECT_EQ(sigismember(&before, SIGSEGV), 0);
	});
}

TEST(program_code, may_fork_on_a_thread_that_has_signals_blocked)
{
	in_threads(1, [] {
		signals_blocked for_life;
		const program_code here;
		const pid_t child = fork();
		if (!child) {
			unblock(SIGUSR1);
			signals_blocked again;
			const sigset_t set = blocked_now();
			_exit(sigismember(&set, SIGUSR1) ? 0 : 1);
		}
		int status = -1;
		EXPECT_EQ(waitpid(child, &status, 0), child);
		EXPECT_EQ(status, 0) << "the child's locks block signals";
	});
}

TEST(program_code, keeps_the_mask_of_other_threads)
{
	in_threads(1, [] {
		{
			const program_code here;
			sigset_t one;
			sigemptyset(&one);
			sigaddset(&one, SIGUSR2);
			pthread_sigmask(SIG_BLOCK, &one, nullptr);
		}
		const sigset_t set = blocked_now();
		EXPECT_EQ(sigismember(&set, SIGUSR2), 1);
		EXPECT_EQ(sigismember(&set, SIGUSR1), 0);
	});
}

TEST(guard, holds_the_lock_with_all_signals_blocked)
{
	static futex_lock lock;
	static std::atomic<bool> handled{false}, held_in_handler{false};
	struct sigaction action = {}, old;
	action.sa_handler = [](int) {
		if (lock.try_lock(lock_rank::pool))
			lock.unlock(lock_rank::pool);
		else
			held_in_handler = true;
		handled = true;
	};
	sigaction(SIGUSR1, &action, &old);
	{
		guard g(lock, lock_rank::pool);
		expect_all_blocked();
		raise(SIGUSR1);
		EXPECT_FALSE(handled);
	}
	for (int i = 0; i < 1000 && !handled; i++)
		sleep_ms(1); // ThreadSanitizer calls handlers late
	EXPECT_TRUE(handled);
	EXPECT_FALSE(held_in_handler) << "signals come back after the lock is gone";
	sigaction(SIGUSR1, &old, nullptr);
}

#ifdef HET_DEBUG_LOCKS

TEST(lock_order_death, is_checked)
{
	GTEST_FLAG_SET(death_test_style, "threadsafe");
	unsetenv("GPUVM_QUIET");
	futex_lock held, wanted;
	EXPECT_EXIT(
		{
			guard first(held, lock_rank::array);
			guard second(wanted, lock_rank::structure);
		},
		testing::KilledBySignal(SIGABRT), "lock order: rank 4 taken while ranks 0x80 are held");
	EXPECT_EXIT(
		{
			guard first(held, lock_rank::leaf);
			guard second(wanted, lock_rank::leaf);
		},
		testing::KilledBySignal(SIGABRT), "lock order: rank 9")
		<< "two of one rank";
	EXPECT_EXIT(
		{
			held.try_lock(lock_rank::pool);
			wanted.try_lock(lock_rank::lead);
		},
		testing::KilledBySignal(SIGABRT), "lock order: rank 6");
}

#endif

constexpr lock_rank ranks[] = {lock_rank::structure, lock_rank::lead, lock_rank::array, lock_rank::pool,
			       lock_rank::leaf};

TEST(lock_order, rises)
{
	futex_lock locks[std::size(ranks)];
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < std::size(ranks); i++)
			locks[i].lock(ranks[i]);
		// Locks may be released in any order.
		for (size_t i : {2, 0, 4, 3, 1})
			locks[i].unlock(ranks[i]);
	}
	// Ranks may be skipped, and a rank is free again once its lock is.
	locks[0].lock(ranks[0]);
	for (size_t i = 1; i < std::size(ranks); i++) {
		guard g(locks[i], ranks[i]);
	}
	locks[0].unlock(ranks[0]);
}

TEST(lock_order, is_kept_by_each_thread_for_itself)
{
	futex_lock mine, others;
	guard g(mine, lock_rank::leaf);
	in_threads(1, [&] { guard first(others, lock_rank::structure); });
}

} // namespace
