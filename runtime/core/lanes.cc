// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/lanes.h"

#include <new>

namespace het::rt
{

// Without a worker nobody would do what lies there. Returns the device's own if there is no memory or no thread.
executor *lanes::make(int level)
{
	auto *x = new (std::nothrow) executor(own_, level);
	if (x && x->start_worker())
		return x;
	delete x;
	return &own_;
}

executor &lanes::open(int level)
{
	auto &place = all_[index_of_level(level)];
	if (!level || !own_.has_lanes() || place.load(std::memory_order_acquire))
		return at(level);
	lock_.lock(lock_rank::opening);
	if (!place.load(std::memory_order_relaxed)) {
		place.store(make(level), std::memory_order_release);
		any_.store(true, std::memory_order_release);
	}
	lock_.unlock(lock_rank::opening);
	return at(level);
}

} // namespace het::rt
