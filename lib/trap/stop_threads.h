// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Stops all threads of the process, as libgpuvm did it in 2011: for the trap sigsegv-stop, which is the baseline of the
// benchmark.
//
// Each thread gets a real-time signal, says that it has it, and waits on a semaphore of its own. This costs the
// program, whatever the implementation: system calls that do not restart return EINTR; whoever needs a lock that a
// stopped thread holds (malloc's, the driver's) waits until the end; threads that block the signal are not stopped.
//
// The thread list needs no reading at each stop, since a thread that has answered is alive until it is resumed. So when
// all the known ones have answered (or are spared and exist), and the kernel counts as many threads as these, there are
// no others.
#pragma once

#include "os/lock.h"
#include "os/tasks.h"
#include "trap/spared_threads.h"

#include <atomic>
#include <csignal>
#include <cstdint>

namespace het
{

class thread_stopper
{
      public:
	// A thread may take @patience_ns to answer.
	explicit thread_stopper(uint64_t patience_ns = 1000000000) : patience_ns_(patience_ns) {}
	~thread_stopper();
	thread_stopper(const thread_stopper &) = delete;
	thread_stopper &operator=(const thread_stopper &) = delete;

	// Takes a real-time signal. Returns false, with the reason in *why, if none is left. A process has one object.
	bool open(const char **why);

	// Stops all other threads that are not spared. A thread that does not answer is reported and spared from now
	// on. Several callers take turns, from stop() to resume(). The caller holds no lock of the library and blocks
	// all signals.
	void stop();
	void resume();
	// Ends a stop that has lasted longer than @ns, whose resume() is still to come, and returns whether it has. Any
	// thread that is not stopped may call it.
	bool resume_after(uint64_t ns);

	// A thread in this scope counts as stopped, so it gets no signal; it leaves only while nobody is stopped.
	// It must touch nothing but what its author has made safe, so all signals are blocked.
	class parked
	{
	      public:
		explicit parked(thread_stopper &s);
		~parked();
		parked(const parked &) = delete;
		parked &operator=(const parked &) = delete;

	      private:
		friend class thread_stopper;
		thread_stopper &stopper_;
		signals_blocked signals_;
		pid_t tid_;
		parked *next_;
		parked *prev_ = nullptr;
	};

	void forked_child();

      private:
	struct record;

	static void on_signal(int signo, siginfo_t *info, void *context);
	void wait_here(uint64_t ticket);

	void take_turn();
	void begin_epoch();
	bool settle(record &r, uint32_t epoch, uint32_t to);
	bool settle_thread(pid_t tid, uint32_t to);
	void add_unknown_threads();
	void add(pid_t tid);
	void call_threads();
	void call(record &r);
	void collect_answers();
	void review(bool look_closely, bool patience_is_over);
	bool sleepers_still_sleep();
	bool all_threads_accounted_for();
	bool end_epoch(uint32_t epoch);
	void post_semaphores(uint32_t epoch);

	uint64_t patience_ns_;
	record *records_ = nullptr;
	std::atomic<uint32_t> count_{0}; // records in use; they hold the same threads from one stop to the next
	bool some_have_gone_ = true;
	task_list list_;
	pid_t caller_ = 0; // the thread that stops the others, unless it is spared

	std::atomic<uint32_t> turn_{0};  // 0 free, 1 taken, 2 and somebody waits
	std::atomic<uint32_t> epoch_{0}; // odd while threads are stopped
	std::atomic<uint32_t> settled_{0}, goal_{0};

	std::atomic<uint64_t> stopped_since_{0}; // 0: nobody is, or not all are yet

	futex_lock lock_; // guards the list of the parked, and changes of epoch_ and count_
	parked *parked_ = nullptr;
};

} // namespace het
