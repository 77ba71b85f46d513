// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs whose accesses are recorded use this: memory that all threads see, threads, barriers. They are compiled with
// -fsanitize=thread, and what the compiler calls before each access is the recorder (hooks.cc), not the sanitizer.
#pragma once

#include "noc/trace/accesses.h"

#include <cstddef>
#include <functional>

namespace noc::record
{

// Returns zeroed memory that is kept until the process ends, at the beginning of a line; throws std::bad_alloc. What is
// elsewhere counts as a thread's own, in its first-level cache.
void *allocate(size_t bytes);
template <typename T> T *array(size_t n)
{
	return static_cast<T *>(allocate(n * sizeof(T)));
}

// Runs body(thread) on so many threads at once, and records what they do. The caller's own accesses are not recorded.
void run(unsigned threads, const std::function<void(unsigned)> &body);
// All threads of run() wait for each other.
void barrier();

// Returns what was recorded by all run() so far, and forgets it.
access_trace take();

// The part of n things that is a thread's.
struct part {
	size_t begin, end;
};
inline part part_of(size_t n, unsigned thread, unsigned threads)
{
	return {n * thread / threads, n * (thread + 1) / threads};
}

} // namespace noc::record
