// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Waits for the driver. Its own calls sleep or spin as the program has set the context up, and a wake costs more than a
// small copy takes: so this asks until the command should be done, and only then leaves it to the driver.
#pragma once

#include "dev/cuda_abi.h"
#include "os/clock.h"

#include <sched.h>

namespace het
{

// A wake after a sleep in the driver was seen to take 0.3 ms on a virtual machine. So a kernel is asked for until that
// is little beside what it has taken; others who want the core have it between two questions.
inline constexpr uint64_t long_kernel_ns = 10'000'000;

// Returns what a copy takes at most where nothing disturbs it.
constexpr uint64_t expected_ns(size_t bytes)
{
	constexpr uint64_t latency = 60'000, bytes_each_ns = 8;
	return latency + bytes / bytes_each_ns;
}

// @query returns cu_error_not_ready until the command is done. @synchronize waits.
template <typename Query, typename Synchronize> int poll_then_wait(uint64_t ns, Query query, Synchronize synchronize)
{
	int err = query();
	for (uint64_t end = now_ns() + ns; err == cu_error_not_ready && now_ns() < end; err = query())
		cpu_pause();
	return err == cu_error_not_ready ? synchronize() : err;
}

// Does the same, and polls for so long as it takes a kernel to be a long one. Meanwhile it gives way.
template <typename Query, typename Synchronize> int wait_for_kernel(Query query, Synchronize synchronize)
{
	return poll_then_wait(expected_ns(0), query, [&] {
		int err = cu_error_not_ready;
		for (uint64_t end = now_ns() + long_kernel_ns; err == cu_error_not_ready && now_ns() < end;
		     err = query())
			sched_yield();
		return err == cu_error_not_ready ? synchronize() : err;
	});
}

} // namespace het
