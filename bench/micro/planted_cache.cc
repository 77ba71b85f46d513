// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/planted_cache.h"

#include <algorithm>

namespace micro
{

cache_model::cache_model(const planted_cache &c, size_t page, uint64_t seed)
    : what_(c), page_(page), sets_(std::max<size_t>(1, c.size / (c.line * c.ways))), seed_(seed),
      lines_(sets_ * c.ways), random_(seed, 21)
{
}

// A page's place depends on its number and on nothing else.
uint64_t cache_model::physical(uint64_t address) const
{
	if (!what_.pages_anywhere)
		return address;
	random_stream place(seed_, address / page_);
	return (place.next() >> 24) * page_ + address % page_;
}

bool cache_model::access(uint64_t address)
{
	const uint64_t line = physical(address) / what_.line + 1;
	uint64_t *set = lines_.data() + line % sets_ * what_.ways, *end = set + what_.ways;
	uint64_t *found = std::find(set, end, line);
	const bool there = found != end;
	if (!there) {
		found = std::find(set, end, 0u);
		if (found == end)
			found = what_.least_recent ? end - 1 : set + random_.below(what_.ways);
		*found = line;
	}
	if (what_.least_recent)
		std::rotate(set, found, found + 1);
	return there;
}

void cache_model::clear()
{
	std::fill(lines_.begin(), lines_.end(), 0);
}

void cache_model::disturb(double share)
{
	for (uint64_t &line : lines_)
		if (random_.unit() < share)
			line = ~uint64_t{0} - random_.below(1000);
}

} // namespace micro
