// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A driver's context takes time and memory, so a device opens its own when something needs it.
#pragma once

#include "os/lock.h"

#include <atomic>

namespace het::rt
{

class opening
{
      public:
	// Calls @open, which returns 0 or a code, until it has succeeded once; one thread at a time does, under a lock
	// of rank opening.
	template <class F> int once(F open)
	{
		if (done_.load(std::memory_order_acquire))
			return 0;
		lock_.lock(lock_rank::opening);
		int err = done_.load(std::memory_order_relaxed) ? 0 : open();
		done_.store(!err, std::memory_order_release);
		lock_.unlock(lock_rank::opening);
		return err;
	}

      private:
	futex_lock lock_;
	std::atomic<bool> done_{false};
};

} // namespace het::rt
