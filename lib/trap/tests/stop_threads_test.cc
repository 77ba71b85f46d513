// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/stop_threads.h"

#include "os/clock.h"

#include <atomic>
#include <csignal>
#include <gpuvm.h>
#include <gtest/gtest.h>
#include <memory>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace het;

namespace
{

constexpr uint64_t ms = 1000000, second = 1000 * ms;

#ifdef __SANITIZE_THREAD__
constexpr bool thread_sanitizer = true;
#else
constexpr bool thread_sanitizer = false;
#endif

void sleep_us(unsigned us)
{
	usleep(us);
}

// GCC 12's ThreadSanitizer holds signals back, and leaves them all blocked in a thread that gets one while it is about
// to handle another: it keeps the mask of both in one place.
void let_signals_in()
{
	sigset_t all;
	sigfillset(&all);
	if (thread_sanitizer)
		pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
}

// Everybody else is stopped while this lives.
class all_stopped
{
      public:
	explicit all_stopped(thread_stopper &s) : stopper_(s) { stopper_.stop(); }
	~all_stopped() { stopper_.resume(); }

      private:
	signals_blocked signals_;
	thread_stopper &stopper_;
};

// The threads count, each in a way of its own.
class counters
{
      public:
	explicit counters(unsigned n)
	{
		for (unsigned i = 0; i < n; i++)
			threads_.emplace_back([this, i] { run(i); });
		while (sum() < n)
			sleep_us(100);
	}
	~counters()
	{
		stop_.store(true);
		for (auto &t : threads_)
			t.join();
	}
	uint64_t sum() const { return sum_.load(); }

      private:
	void run(unsigned i)
	{
		while (!stop_.load()) {
			sum_.fetch_add(1);
			let_signals_in();
			if (i % 3)
				sleep_us(i % 3 == 1 ? 50 : 1000);
		}
	}

	std::atomic<bool> stop_{false};
	std::atomic<uint64_t> sum_{0};
	std::vector<std::thread> threads_;
};

// Spares the threads that a sanitizer starts, at the latest beside the program's first one. They block all signals.
void spare_threads_of_others()
{
	std::thread([] {}).join();
	task_list all;
	ASSERT_TRUE(all.read());
	for (pid_t tid : all.tids()) {
		if (tid != this_task())
			spare_thread(tid);
	}
}

class stop_threads : public testing::Test
{
      protected:
	void SetUp() override
	{
		const char *why = nullptr;
		ASSERT_TRUE(stopper.open(&why)) << why;
		spare_threads_of_others();
	}
	// A loaded machine may delay an answer for long, so a thread has more time than it can need.
	thread_stopper stopper{(thread_sanitizer ? 60 : 3600) * second};
};

// Threads that don't answer are given up after a while.
class stop_deaf_threads : public testing::Test
{
      protected:
	static constexpr uint64_t patience = 200 * ms;

	void SetUp() override
	{
		const char *why = nullptr;
		ASSERT_TRUE(stopper.open(&why)) << why;
		spare_threads_of_others();
	}
	thread_stopper stopper{patience};
};

std::string does_not_answer(pid_t tid)
{
	return "thread " + std::to_string(tid) + " does not answer";
}

TEST_F(stop_threads, one_object_a_process)
{
	thread_stopper other;
	const char *why = nullptr;
	EXPECT_FALSE(other.open(&why));
	EXPECT_NE(why, nullptr);
}

TEST_F(stop_threads, nobody_runs_between_stop_and_resume)
{
	counters c(12);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t before;
		{
			all_stopped s(stopper);
			before = c.sum();
			sleep_us(i % 10 ? 100 : 3000);
			EXPECT_EQ(c.sum(), before);
		}
		while (c.sum() == before)
			sleep_us(10);
	}
}

TEST_F(stop_threads, works_without_other_threads)
{
	for (unsigned i = 0; i < 100; i++)
		all_stopped s(stopper);
}

// Sixty-four threads live for less time than a stop takes, and each makes its successor.
class generations
{
      public:
	explicit generations(unsigned n)
	{
		pthread_attr_init(&attr_);
		pthread_attr_setdetachstate(&attr_, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attr_, 128 << 10);
		for (unsigned i = 0; i < n; i++)
			make_one();
	}
	~generations()
	{
		stop_.store(true);
		while (alive_.load())
			sleep_us(1000);
		pthread_attr_destroy(&attr_);
	}
	uint64_t born() const { return born_.load(); }
	unsigned alive() const { return alive_.load(); }

      private:
	static void *live(void *arg)
	{
		auto *self = static_cast<generations *>(arg);
		uint64_t n = self->born_.fetch_add(1);
		if (n % 4)
			sleep_us(unsigned(n % 16) * 50);
		if (!self->stop_.load())
			self->make_one();
		self->alive_.fetch_sub(1);
		return nullptr;
	}
	void make_one()
	{
		pthread_t t;
		alive_.fetch_add(1);
		if (pthread_create(&t, &attr_, live, this))
			alive_.fetch_sub(1);
	}

	pthread_attr_t attr_;
	std::atomic<bool> stop_{false};
	std::atomic<uint64_t> born_{0};
	std::atomic<unsigned> alive_{0};
};

TEST_F(stop_threads, threads_that_are_born_and_die_meanwhile)
{
	if (thread_sanitizer)
		GTEST_SKIP() << "a thread that ThreadSanitizer starts or ends can wait, with signals blocked, for one "
				"that is stopped";
	testing::internal::CaptureStderr();
	generations g(64);
	for (unsigned i = 0; i < 60; i++) {
		uint64_t before;
		{
			all_stopped s(stopper);
			before = g.born();
			sleep_us(300);
			EXPECT_EQ(g.born(), before);
		}
		EXPECT_GT(g.alive(), 0u);
		while (g.born() == before)
			sleep_us(10);
	}
	std::string said = testing::internal::GetCapturedStderr();
	EXPECT_EQ(said, "");
}

TEST_F(stop_threads, several_stoppers_take_turns)
{
	std::atomic<int> inside{0};
	std::vector<std::thread> stoppers;
	counters c(4);
	for (unsigned i = 0; i < 4; i++)
		stoppers.emplace_back([&, i] {
			if (i % 2)
				spare_this_thread();
			for (unsigned n = 0; n < 50; n++) {
				all_stopped s(stopper);
				EXPECT_EQ(inside.fetch_add(1), 0);
				uint64_t before = c.sum();
				sleep_us(50);
				EXPECT_EQ(c.sum(), before);
				inside.fetch_sub(1);
			}
		});
	for (auto &t : stoppers)
		t.join();
}

// The thread blocks the signal, yet it is neither waited for nor given up.
TEST_F(stop_deaf_threads, a_parked_thread_counts_as_stopped_and_stays)
{
	std::atomic<bool> leave{false}, left{false};
	std::atomic<pid_t> tid{0};
	std::thread toucher([&] {
		{
			thread_stopper::parked p(stopper);
			tid.store(this_task());
			while (!leave.load())
				sleep_us(10);
		}
		left.store(true);
	});
	while (!tid.load())
		sleep_us(10);
	testing::internal::CaptureStderr();
	{
		all_stopped s(stopper);
		leave.store(true);
		sleep_us(2000);
		EXPECT_FALSE(left.load());
	}
	std::string said = testing::internal::GetCapturedStderr();
	EXPECT_EQ(said.find(does_not_answer(tid.load())), std::string::npos) << said;
	toucher.join();
	EXPECT_TRUE(left.load());
}

TEST_F(stop_threads, touchers_park_and_leave_all_the_time)
{
	std::atomic<bool> stop{false};
	std::atomic<uint64_t> outside{0};
	std::vector<std::thread> touchers;
	for (unsigned i = 0; i < 8; i++)
		touchers.emplace_back([&, i] {
			while (!stop.load()) {
				{
					thread_stopper::parked p(stopper);
					if (i % 2)
						sleep_us(20);
				}
				outside.fetch_add(1);
			}
		});
	for (unsigned i = 0; i < 100; i++) {
		all_stopped s(stopper);
		uint64_t before = outside.load();
		sleep_us(50);
		EXPECT_EQ(outside.load(), before);
	}
	stop.store(true);
	for (auto &t : touchers)
		t.join();
}

TEST_F(stop_deaf_threads, a_thread_that_blocks_the_signal_is_spared_after_a_while)
{
	std::atomic<bool> stop{false};
	std::atomic<pid_t> tid{0};
	std::thread deaf([&] {
		signals_blocked all;
		tid.store(this_task());
		while (!stop.load())
			sleep_us(100);
	});
	while (!tid.load())
		sleep_us(10);
	testing::internal::CaptureStderr();
	uint64_t begin = now_ns();
	{
		all_stopped s(stopper);
		EXPECT_GE(now_ns() - begin, patience); // even the fastest machine has to wait so long
	}
	std::string said = testing::internal::GetCapturedStderr();
	EXPECT_NE(said.find(does_not_answer(tid.load())), std::string::npos) << said;
	EXPECT_TRUE(is_spared(tid.load()));
	testing::internal::CaptureStderr();
	{
		all_stopped s(stopper);
	}
	said = testing::internal::GetCapturedStderr();
	EXPECT_EQ(said.find(does_not_answer(tid.load())), std::string::npos) << "waited for again: " << said;
	stop.store(true);
	deaf.join();
}

// This happens at the end of a thread, where glibc takes a lock with all signals blocked that a stopped thread may
// hold.
TEST_F(stop_threads, a_thread_that_waits_for_a_stopped_one_is_not_waited_for)
{
	std::atomic<bool> stop{false};
	std::atomic<uint32_t> released{0};
	auto release = [&] {
		released.fetch_add(1);
		futex_wake(&released, 1);
	};
	std::thread holder([&] {
		while (!stop.load()) {
			sleep_us(200);
			release();
		}
	});
	std::thread waiter([&] {
		signals_blocked all;
		for (uint32_t seen = 0; !stop.load(); seen = released.load())
			futex_wait(&released, seen);
	});
	while (!released.load())
		sleep_us(10);
	testing::internal::CaptureStderr();
	for (unsigned i = 0; i < 10; i++) {
		all_stopped s(stopper);
	}
	EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
	stop.store(true);
	holder.join();
	release();
	waiter.join();
}

// A spared thread may wake a sleeper up that was taken for stopped. It stops as soon as it lets the signal through.
TEST_F(stop_threads, a_sleeper_that_is_woken_by_a_spared_thread_stops_late)
{
	std::atomic<uint32_t> go{0}, steps{0};
	std::thread sleeper([&] {
		{
			signals_blocked all;
			futex_wait(&go, 0);
		}
		for (unsigned i = 0; i < 1000; i++)
			steps.fetch_add(1);
	});
	std::atomic<bool> stopped{false}, spared{false};
	std::thread driver([&] {
		spare_this_thread();
		spared.store(true);
		while (!stopped.load())
			sleep_us(100);
		go.store(1);
		futex_wake(&go, 1);
	});
	while (!spared.load())
		sleep_us(10);
	sleep_us(5000);
	{
		all_stopped s(stopper);
		stopped.store(true);
		driver.join();
		sleep_us(5000);
		EXPECT_EQ(steps.load(), 0u);
	}
	sleeper.join();
	EXPECT_EQ(steps.load(), 1000u);
}

TEST_F(stop_threads, system_calls_that_can_restart_do)
{
	if (thread_sanitizer)
		GTEST_SKIP() << "ThreadSanitizer keeps a signal from a thread that reads until the read returns";
	int fds[2];
	ASSERT_EQ(pipe(fds), 0);
	std::atomic<bool> reading{false};
	std::atomic<ssize_t> got{0};
	std::thread reader([&] {
		char b;
		reading.store(true);
		got.store(read(fds[0], &b, 1));
	});
	while (!reading.load())
		sleep_us(10);
	sleep_us(2000);
	for (unsigned i = 0; i < 20; i++)
		all_stopped s(stopper);
	EXPECT_EQ(write(fds[1], "x", 1), 1);
	reader.join();
	EXPECT_EQ(got.load(), 1);
	close(fds[0]);
	close(fds[1]);
}

// The main thread may end before the process does; its number stays in the list.
void *stop_in_an_orphan(void *arg)
{
	auto *stopper = static_cast<thread_stopper *>(arg);
	sleep_us(20000);
	for (unsigned i = 0; i < 3; i++)
		all_stopped s(*stopper); // would take an hour if the main thread were waited for
	_exit(0);
}

TEST_F(stop_threads, a_main_thread_that_has_ended)
{
	if (thread_sanitizer)
		GTEST_SKIP() << "ThreadSanitizer allows no threads after fork";
	pid_t child = fork();
	if (!child) {
		stopper.forked_child();
		pthread_t t;
		if (pthread_create(&t, nullptr, stop_in_an_orphan, &stopper))
			_exit(2);
		syscall(SYS_exit, 0); // ends the thread as pthread_exit() does, without unwinding the test
	}
	int status = -1;
	waitpid(child, &status, 0);
	EXPECT_EQ(status, 0);
}

TEST_F(stop_threads, pre_init_spares_the_threads_of_the_driver)
{
	EXPECT_EQ(record_threads_after(), GPUVM_ESTATE);
	counters program(2);
	EXPECT_EQ(record_threads_before(), 0);
	auto driver = std::make_unique<counters>(3);
	EXPECT_EQ(record_threads_after(), 0);
	EXPECT_EQ(record_threads_after(), GPUVM_ESTATE);
	{
		all_stopped s(stopper);
		uint64_t of_program = program.sum(), of_driver = driver->sum();
		for (unsigned i = 0; i < 1000 && driver->sum() == of_driver; i++)
			sleep_us(1000);
		EXPECT_GT(driver->sum(), of_driver);
		EXPECT_EQ(program.sum(), of_program);
	}
	driver.reset(); // the numbers of these threads are forgotten with them
	all_stopped s(stopper);
}

} // namespace
