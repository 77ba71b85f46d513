// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/send_queue.h"

namespace het
{

// The order is that of sequential consistency: either this thread sees that the other is about to sleep, or that one
// sees what was added.
bool send_queue::add(array &a)
{
	lock_.lock(lock_rank::leaf);
	bool has_room = count_ < most;
	if (has_room)
		arrays_[(first_ + count_++) % most] = &a;
	lock_.unlock(lock_rank::leaf);
	added_.fetch_add(1);
	if (has_room && asleep_.load())
		futex_wake(&added_, 1);
	return has_room;
}

array *send_queue::take()
{
	lock_.lock(lock_rank::leaf);
	array *a = count_ ? arrays_[first_] : nullptr;
	if (a) {
		first_ = (first_ + 1) % most;
		count_--;
	}
	lock_.unlock(lock_rank::leaf);
	return a;
}

array &send_queue::next()
{
	for (;;) {
		if (array *a = take())
			return *a;
		uint32_t seen = added_.load();
		asleep_.store(true);
		array *a = take();
		if (!a)
			futex_wait(&added_, seen);
		asleep_.store(false);
		if (a)
			return *a;
	}
}

} // namespace het
