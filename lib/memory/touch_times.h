// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// When a touch passed from hand to hand, for those who ask where its time goes (GPUVM_STAT_LAST_TOUCH). Nobody who does
// not ask pays for it.
#pragma once

#include "os/clock.h"
#include "os/lock.h"

#include <atomic>

namespace het
{

// These are times of now_ns(); 0 says that the touch did not pass there, or that nobody wants to know.
struct touch_times {
	bool wanted = false;
	uint64_t seen = 0;    // by who serves it; known whether it is wanted or not
	uint64_t caught = 0;  // by the library's signal handler in the toucher, or by the resolver that has the event
	uint64_t handed = 0;  // by the handler to the resolvers
	uint64_t locked = 0;  // the array's lock is had
	uint64_t given = 0;   // the copy is about to be given to the device
	uint64_t started = 0; // the call that gives it to the device has returned; 0 if the copy is a memcpy()
	uint64_t copied = 0;
	uint64_t shown = 0; // the touched page is

	void pass(uint64_t touch_times::*moment)
	{
		if (wanted)
			this->*moment = now_ns();
	}
};

// The times of the touch that was served last.
class last_touch
{
      public:
	bool is_wanted() const { return wanted_.load(std::memory_order_relaxed); }
	// The caller has all signals blocked.
	void keep(const touch_times &t)
	{
		lock_.lock(lock_rank::leaf);
		last_ = t;
		lock_.unlock(lock_rank::leaf);
	}
	// From the first call on times are wanted.
	touch_times get()
	{
		wanted_.store(true, std::memory_order_relaxed);
		guard g(lock_, lock_rank::leaf);
		return last_;
	}

      private:
	std::atomic<bool> wanted_{false};
	futex_lock lock_; // guards what follows
	touch_times last_;
};

} // namespace het
