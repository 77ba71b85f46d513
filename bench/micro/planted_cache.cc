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

// Returns a bit for each sector of a line.
uint64_t cache_model::sector_of(uint64_t at) const
{
	return uint64_t{1} << (what_.sector ? at % what_.line / what_.sector : 0);
}

bool cache_model::access(uint64_t address)
{
	const uint64_t at = physical(address), line = at / what_.line + 1, sector = sector_of(at);
	held *set = lines_.data() + line % sets_ * what_.ways, *end = set + what_.ways;
	const auto of = [&](uint64_t number) {
		return std::find_if(set, end, [&](const held &h) { return h.line == number; });
	};
	held *found = of(line);
	if (found == end) {
		found = of(0);
		if (found == end)
			found = what_.least_recent ? end - 1 : set + random_.below(what_.ways);
		*found = {line, 0};
	}
	const bool there = found->sectors & sector;
	found->sectors |= sector;
	if (what_.least_recent)
		std::rotate(set, found, found + 1);
	return there;
}

void cache_model::clear()
{
	std::fill(lines_.begin(), lines_.end(), held{});
}

void cache_model::disturb(double share)
{
	for (held &h : lines_)
		if (random_.unit() < share)
			h = {~uint64_t{0} - random_.below(1000), ~uint64_t{0}};
}

} // namespace micro
