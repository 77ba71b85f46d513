// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "stacks.h"

#include <algorithm>

namespace het_omp
{

void *stacks::take(size_t nbytes)
{
	std::lock_guard g(lock_);
	auto fits = [&](const block &b) { return !b.is_used && b.nbytes >= nbytes; };
	auto found = std::ranges::find_if(blocks_, fits);
	if (found == blocks_.end()) {
		drop_free_locked(); // they are too small
		void *made = nullptr;
		if (het_device_alloc(device_, nbytes, &made))
			return nullptr;
		found = blocks_.insert(blocks_.end(), {made, nbytes, false});
	}
	found->is_used = true;
	return found->at;
}

void stacks::give_back(void *at)
{
	std::lock_guard g(lock_);
	std::ranges::find(blocks_, at, &block::at)->is_used = false;
}

bool stacks::drop_free()
{
	std::lock_guard g(lock_);
	return drop_free_locked();
}

bool stacks::drop_free_locked()
{
	auto is_free = [&](const block &b) { return !b.is_used; };
	for (const block &b : blocks_) {
		if (is_free(b))
			het_device_free(device_, b.at);
	}
	return std::erase_if(blocks_, is_free);
}

} // namespace het_omp
