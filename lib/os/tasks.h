// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lists the threads of this process from /proc/self/task. Nothing here calls malloc: other threads may be stopped, with
// its locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/types.h>

namespace het
{

class task_list
{
      public:
	task_list() = default;
	task_list(const task_list &) = delete;
	task_list &operator=(const task_list &) = delete;
	~task_list();

	// Reads the list anew, in rising order. Returns false without /proc or memory.
	bool read();
	std::span<const pid_t> tids() const { return {tids_, count_}; }
	bool contains(pid_t tid) const;

      private:
	bool append(pid_t tid);

	pid_t *tids_ = nullptr;
	size_t count_ = 0;
	size_t capacity_ = 0;
};

// Returns how many there are, without reading the list, or 0 if that can't be told. (The directory's link count tells.
// Its mtime, which libgpuvm looked at, stands still on today's kernels while threads come and go.)
size_t task_count();

// Returns whether the thread has not been reaped.
bool task_exists(pid_t tid);
// Returns whether it sleeps until another thread wakes it: in a futex call without a time limit.
bool task_sleeps(pid_t tid);
// Returns whether it has ended and waits to be reaped, as a main thread does after pthread_exit().
bool task_ended(pid_t tid);

pid_t this_task();

} // namespace het
