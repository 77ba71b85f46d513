// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/extents.h"

#include "core/range.h"
#include "os/pool.h"

#include <algorithm>
#include <cstring>

namespace het
{

bool extents::insert(uint32_t at, extent e)
{
	if (count_ == capacity_) {
		uint32_t bigger = capacity_ ? capacity_ * 2 : 64;
		auto *t = pool_array<extent>(bigger);
		if (!t)
			return false;
		std::copy_n(free_, count_, t);
		pool().release(free_, capacity_ * sizeof(extent));
		free_ = t;
		capacity_ = bigger;
	}
	memmove(free_ + at + 1, free_ + at, (count_ - at) * sizeof(extent));
	free_[at] = e;
	count_++;
	return true;
}

void extents::erase(uint32_t at)
{
	memmove(free_ + at, free_ + at + 1, (count_ - at - 1) * sizeof(extent));
	count_--;
}

void extents::open(uint64_t begin, uint64_t end)
{
	count_ = 0;
	if (begin < end)
		insert(0, {begin, end});
}

bool extents::allocate(size_t n, size_t align, uint64_t *offset)
{
	uint32_t best = count_;
	for (uint32_t i = 0; i < count_; i++) {
		uint64_t room = free_[i].end - free_[i].begin, begin = round_up(free_[i].begin, align);
		bool fits = begin <= free_[i].end && n <= free_[i].end - begin;
		if (fits && (best == count_ || room < free_[best].end - free_[best].begin))
			best = i;
	}
	if (best == count_)
		return false;
	extent e = free_[best];
	uint64_t begin = round_up(e.begin, align), end = begin + n;
	if (e.begin < begin && end < e.end) {
		if (!insert(best + 1, {end, e.end}))
			return false;
		free_[best].end = begin;
	} else if (e.begin < begin) {
		free_[best].end = begin;
	} else if (end < e.end) {
		free_[best].begin = end;
	} else {
		erase(best);
	}
	*offset = begin;
	return true;
}

void extents::release(uint64_t offset, size_t n)
{
	uint64_t end = offset + n;
	auto *next = std::lower_bound(free_, free_ + count_, offset,
				      [](const extent &e, uint64_t o) { return e.begin < o; });
	auto at = uint32_t(next - free_);
	bool joins_before = at > 0 && free_[at - 1].end == offset;
	bool joins_after = at < count_ && free_[at].begin == end;
	if (joins_before && joins_after) {
		free_[at - 1].end = free_[at].end;
		erase(at);
	} else if (joins_before) {
		free_[at - 1].end = end;
	} else if (joins_after) {
		free_[at].begin = offset;
	} else {
		// Without memory for the table the extent is lost to us; its pages are not, as they were punched.
		insert(at, {offset, end});
	}
}

} // namespace het
