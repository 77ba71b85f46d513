// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/twin_pool.h"

#include <utility>

namespace het::rt
{

// A twin is destroyed without the lock: that is a call of the device's.

std::unique_ptr<device_twin> twin_pool::take(size_t nbytes)
{
	std::unique_ptr<device_twin> taken;
	lock_.lock(lock_rank::leaf);
	for (auto &t : twins_) {
		if (!taken && t && t->room >= nbytes && t->room / 2 <= nbytes)
			taken = std::move(t);
	}
	lock_.unlock(lock_rank::leaf);
	return taken;
}

void twin_pool::give_back(std::unique_ptr<device_twin> twin)
{
	lock_.lock(lock_rank::leaf);
	size_t place = 0;
	while (place < most && twins_[place])
		place++;
	if (place == most)
		place = next_++ % most;
	std::swap(twin, twins_[place]);
	lock_.unlock(lock_rank::leaf);
	destroy(std::move(twin));
}

bool twin_pool::clear()
{
	std::unique_ptr<device_twin> gone[most];
	bool any = false;
	lock_.lock(lock_rank::leaf);
	for (size_t i = 0; i < most; i++) {
		gone[i] = std::move(twins_[i]);
		any |= gone[i] != nullptr;
	}
	lock_.unlock(lock_rank::leaf);
	for (auto &t : gone)
		destroy(std::move(t));
	return any;
}

void twin_pool::destroy(std::unique_ptr<device_twin> twin)
{
	size_t room = twin ? twin->room : 0;
	twin.reset();
	account_.remove(memory_kind::twins, room);
}

} // namespace het::rt
