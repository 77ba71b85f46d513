// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "blocks.h"

#include <algorithm>
#include <bit>

namespace het_omp
{

void *blocks::take(size_t nbytes)
{
	if (nbytes > largest)
		return nullptr;
	std::lock_guard g(lock_);
	auto found = std::ranges::find_if(slabs_, [](const slab &s) { return ~s.used; });
	if (found == slabs_.end()) {
		void *made = nullptr;
		if (het_device_alloc(device_, blocks_of_slab * largest, &made))
			return nullptr;
		found = slabs_.insert(slabs_.end(), {reinterpret_cast<uintptr_t>(made), 0});
	}
	const auto n = unsigned(std::countr_one(found->used));
	found->used |= uint64_t{1} << n;
	return reinterpret_cast<void *>(found->at + n * largest);
}

// The lock is held. Returns null if there is none.
blocks::slab *blocks::find(const void *p)
{
	const auto at = reinterpret_cast<uintptr_t>(p);
	auto found = std::ranges::find_if(
		slabs_, [&](const slab &s) { return at >= s.at && at - s.at < blocks_of_slab * largest; });
	return found == slabs_.end() ? nullptr : &*found;
}

bool blocks::give_back(void *block)
{
	std::lock_guard g(lock_);
	slab *s = find(block);
	if (!s)
		return false;
	const size_t offset = reinterpret_cast<uintptr_t>(block) - s->at;
	const uint64_t bit = uint64_t{1} << offset / largest;
	if (offset % largest || !(s->used & bit))
		return false;
	s->used &= ~bit;
	return true;
}

bool blocks::cover(const void *p, size_t nbytes)
{
	std::lock_guard g(lock_);
	const slab *s = find(p);
	return s && nbytes <= s->at + blocks_of_slab * largest - reinterpret_cast<uintptr_t>(p);
}

// A put may be under way to a block that was given back, and het does not know the addresses that launches put to.
bool blocks::drop_free()
{
	std::lock_guard g(lock_);
	auto is_free = [](const slab &s) { return !s.used; };
	if (std::ranges::none_of(slabs_, is_free) || !puts_.settle())
		return false;
	for (const slab &s : slabs_) {
		if (is_free(s))
			het_device_free(device_, reinterpret_cast<void *>(s.at));
	}
	return std::erase_if(slabs_, is_free);
}

} // namespace het_omp
