// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// On a device with lanes, commands of each level of urgency have an executor of their own, which hands them to a lane
// of the device: so those of one level end in any order beside those of another. Level 0 is the device's own executor.
#pragma once

#include "core/executor.h"

namespace het::rt
{

class lanes
{
      public:
	explicit lanes(executor &own) : own_(own) {}

	// Returns the executor for commands of this level, and makes it if there is none. It is the same one always.
	executor &open(int level);
	// Returns it, or the device's own if it was not made.
	executor &at(int level)
	{
		executor *x = level ? all_[index_of_level(level)].load(std::memory_order_acquire) : nullptr;
		return x ? *x : own_;
	}
	template <class F> void for_all(F f)
	{
		if (!any_.load(std::memory_order_acquire))
			return;
		for (auto &x : all_) {
			executor *there = x.load(std::memory_order_acquire);
			if (there && there != &own_)
				f(*there);
		}
	}

      private:
	executor *make(int level);

	executor &own_;
	futex_lock lock_; // has rank opening
	std::atomic<bool> any_{false};
	std::atomic<executor *> all_[level_count] = {}; // live as long as the process
};

} // namespace het::rt
