// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/planted_cache.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace micro
{

namespace
{

constexpr size_t nowhere = ~size_t{0};

unsigned bits_of(size_t line)
{
	if (!std::has_single_bit(line))
		throw std::invalid_argument("a planted cache's line is a power of two");
	return unsigned(std::countr_zero(line));
}

} // namespace

cache_model::cache_model(const planted_cache &c, size_t page, uint64_t seed)
    : what_(c), page_(page), sets_(std::max<size_t>(1, c.size / (c.line * c.ways))), line_bits_(bits_of(c.line)),
      seed_(seed), lines_(sets_ * c.ways), used_(c.least_recent ? lines_.size() : 0),
      sectors_(c.sector ? lines_.size() : 0), random_(seed, 21)
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

// Returns the first that has it. Which way that is nobody can foresee, so a loop that ends there would be foreseen
// wrongly as a rule.
size_t cache_model::place_of(size_t set, uint64_t line) const
{
	const uint64_t *first = lines_.data() + set;
	size_t found = nowhere;
	for (size_t way = what_.ways; way-- > 0;)
		found = first[way] == line ? set + way : found;
	return found;
}

// Lines that are not there were never used.
size_t cache_model::least_recent_of(size_t set) const
{
	const uint64_t *used = used_.data() + set;
	uint64_t least = used[0];
	size_t found = 0;
	for (size_t way = 1; way < what_.ways; way++) {
		found = used[way] < least ? way : found;
		least = std::min(least, used[way]);
	}
	return set + found;
}

size_t cache_model::place_to_fill(size_t set)
{
	if (what_.least_recent)
		return least_recent_of(set);
	const size_t empty = place_of(set, 0);
	return empty != nowhere ? empty : set + random_.below(what_.ways);
}

// Returns whether it was there.
bool cache_model::bring_sector(size_t place, uint64_t at, bool new_line)
{
	const uint64_t before = new_line ? 0 : sectors_[place];
	const uint64_t sector = uint64_t{1} << (at % what_.line / what_.sector);
	sectors_[place] = before | sector;
	return before & sector;
}

bool cache_model::access(uint64_t address)
{
	const uint64_t at = physical(address), line = (at >> line_bits_) + 1;
	const size_t set = line % sets_ * what_.ways;
	size_t place = place_of(set, line);
	const bool there = place != nowhere;
	if (!there) {
		place = place_to_fill(set);
		lines_[place] = line;
	}
	if (what_.least_recent)
		used_[place] = ++accesses_;
	return what_.sector ? bring_sector(place, at, !there) : there;
}

void cache_model::clear()
{
	for (std::vector<uint64_t> *all : {&lines_, &used_, &sectors_})
		std::fill(all->begin(), all->end(), 0);
}

void cache_model::disturb(double share)
{
	for (size_t place = 0; place < lines_.size(); place++) {
		if (random_.unit() >= share)
			continue;
		lines_[place] = ~uint64_t{0} - random_.below(1000);
		if (what_.sector)
			sectors_[place] = ~uint64_t{0};
	}
}

} // namespace micro
