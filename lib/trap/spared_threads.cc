// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/spared_threads.h"

#include "os/lock.h"
#include "os/log.h"
#include "os/tasks.h"

#include <algorithm>
#include <gpuvm.h>
#include <iterator>
#include <new>

namespace het
{

namespace
{

// Holds a set of threads, and needs no memory for it.
class thread_set
{
      public:
	bool add(pid_t tid)
	{
		guard g(lock_, lock_rank::leaf);
		if (std::find(tids_, tids_ + count_, tid) != tids_ + count_)
			return true;
		if (count_ == std::size(tids_))
			return false;
		tids_[count_++] = tid;
		return true;
	}
	bool contains(pid_t tid)
	{
		guard g(lock_, lock_rank::leaf);
		return std::find(tids_, tids_ + count_, tid) != tids_ + count_;
	}
	void clear()
	{
		guard g(lock_, lock_rank::leaf);
		count_ = 0;
	}
	// Forgets those that are no more, whose numbers the kernel may give away again. Returns how many remain.
	size_t prune()
	{
		guard g(lock_, lock_rank::leaf);
		count_ = size_t(std::remove_if(tids_, tids_ + count_, [](pid_t t) { return !task_exists(t); }) - tids_);
		return count_;
	}

      private:
	futex_lock lock_;
	pid_t tids_[1024];
	size_t count_ = 0;
};

thread_set spared;
thread_set before_init;
std::atomic<bool> before_recorded{false}, after_recorded{false};

int no_room()
{
	return fail(GPUVM_ESALLOC, "gpuvm_pre_init: the list of threads can't be read, or is too long");
}

} // namespace

int record_threads_before()
{
	task_list now;
	before_init.clear();
	if (!now.read() || !std::ranges::all_of(now.tids(), [](pid_t t) { return before_init.add(t); }))
		return no_room();
	before_recorded.store(true);
	return 0;
}

int record_threads_after()
{
	if (!before_recorded.exchange(false))
		return fail(GPUVM_ESTATE, "gpuvm_pre_init: GPUVM_THREADS_AFTER_INIT without GPUVM_THREADS_BEFORE_INIT");
	task_list now;
	if (!now.read())
		return no_room();
	for (pid_t t : now.tids())
		if (!before_init.contains(t) && !spared.add(t))
			return no_room();
	after_recorded.store(true);
	return 0;
}

bool knows_drivers_threads()
{
	return after_recorded.load();
}

void spare_this_thread()
{
	spared.add(this_task());
}

bool spare_thread(pid_t tid)
{
	return spared.add(tid);
}

bool is_spared(pid_t tid)
{
	return spared.contains(tid);
}

size_t prune_spared_threads()
{
	return spared.prune();
}

void spared_threads_forked_child()
{
	new (&spared) thread_set;
	new (&before_init) thread_set;
	before_recorded.store(false);
	after_recorded.store(false);
}

} // namespace het
