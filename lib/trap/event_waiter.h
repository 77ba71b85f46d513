// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Waits as a resolver does for touches that a file descriptor announces: by looking for a while, then asleep.
#pragma once

#include "os/clock.h"
#include "os/own_descriptor.h"
#include "trap/trap.h"

#include <atomic>

namespace het
{

class event_waiter
{
      public:
	// Returns false, with the reason in *why, if a pipe can't be had.
	bool open(const char **why);

	// Implements trap::next(). @fd is readable while there are touches, and @take takes one if there is one.
	template <class Take> bool next(int fd, wait_policy p, Take take)
	{
		uint64_t until = p.spin_ns ? now_ns() + p.spin_ns : 0;
		do {
			if (take())
				return true;
			if (p.sleeps && interrupted_.exchange(false, std::memory_order_relaxed))
				break;
			cpu_pause();
		} while (until && now_ns() < until);
		return p.sleeps && sleep(fd) && take();
	}
	void interrupt();

      private:
	// Sleeps until @fd is readable; returns false if it was interrupted.
	bool sleep(int fd);

	// Together they are a pipe: unlike an eventfd, it has an identity of its own.
	own_descriptor interrupts_, interrupter_;
	std::atomic<bool> interrupted_{false};
};

} // namespace het
