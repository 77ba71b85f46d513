// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/lane_pool.h"

#include "os/lock.h"

#include <bit>

namespace het
{

unsigned lane_pool::borrow()
{
	uint32_t free = free_.load(std::memory_order_relaxed);
	for (;;) {
		if (!free) {
			waiters_.fetch_add(1);
			futex_wait(&free_, 0);
			waiters_.fetch_sub(1);
			free = free_.load(std::memory_order_relaxed);
		} else if (free_.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire,
						       std::memory_order_relaxed)) {
			return first_ + unsigned(std::countr_zero(free));
		}
	}
}

// The store is sequentially consistent, as the count of waiters is: either this thread sees the waiter, or the waiter's
// futex_wait() sees the lane.
void lane_pool::give_back(unsigned lane)
{
	free_.fetch_or(uint32_t{1} << (lane - first_));
	if (waiters_.load())
		futex_wake(&free_, 1);
}

} // namespace het
