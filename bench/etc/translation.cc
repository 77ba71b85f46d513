// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/translation.h"

#include <algorithm>

namespace etc
{

namespace
{

constexpr unsigned entries_of_line = 16, bits_of_level = 9;

} // namespace

translation::translation(const machine &m)
    : m_(m), of_processors_(m.processors, tags(m.l1_tlb, m.l1_tlb)), of_all_(m.l2_tlb, m.l2_tlb_ways),
      walk_cache_(m.walk_cache_bytes / line_bytes, m.walk_cache_ways), walkers_(std::max(1u, m.walks))
{
}

cycle translation::find(unsigned processor, uint64_t key, uint32_t page, cycle t)
{
	tags &own = of_processors_[processor];
	if (const tags::entry *const e = own.find(key))
		return std::max(t, e->ready);
	cycle known = t + m_.l2_tlb_cycles;
	if (const tags::entry *const e = of_all_.find(key)) {
		known = std::max(known, e->ready);
	} else {
		known = walk(page, known);
		of_all_.put(key, known);
	}
	own.put(key, known);
	return known;
}

cycle translation::walk(uint32_t page, cycle t)
{
	walks_++;
	cycle &free = *std::min_element(walkers_.begin(), walkers_.end());
	cycle now = std::max(t, free);
	for (unsigned level = 0; level < m_.walk_levels; level++) {
		const unsigned below = std::min(63u, bits_of_level * (m_.walk_levels - 1 - level));
		const uint64_t key = ((uint64_t{page} >> below) / entries_of_line) * m_.walk_levels + level;
		if (const tags::entry *const e = walk_cache_.find(key)) {
			now = std::max(now, e->ready) + m_.walk_cache_cycles;
		} else {
			now += m_.l2_cycles + m_.row_miss_cycles + m_.line_cycles();
			walk_cache_.put(key, now);
		}
	}
	free = now;
	return now;
}

} // namespace etc
