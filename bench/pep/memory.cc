// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/memory.h"

#include <algorithm>
#include <cmath>

namespace pep
{

namespace
{

uint64_t mixed(uint64_t line)
{
	line = (line ^ (line >> 29)) * 0xbf58476d1ce4e5b9;
	return line ^ (line >> 32);
}

} // namespace

memory::memory(const machine &m)
    : m_(&m), places_((size_t{m.l2_kb} << 10) / line_bytes / m.l2_ways * m.l2_ways), free_(m.controllers, 0.0)
{
	sets_ = std::max<size_t>(1, places_.size() / m.l2_ways);
	places_.resize(sets_ * m.l2_ways);
}

cycle memory::move(size_t controller, cycle t)
{
	free_[controller] = std::max(free_[controller], double(t)) + m_->line_cycles();
	moved_++;
	return cycle(std::ceil(free_[controller]));
}

cycle memory::use(uint64_t line, bool stores, cycle t)
{
	const uint64_t hash = mixed(line);
	place *const first = &places_[hash % sets_ * m_->l2_ways], *const end = first + m_->l2_ways;
	place *found = std::find_if(first, end, [&](const place &p) { return p.line == line; });
	if (found == end) {
		found = std::min_element(first, end, [](const place &a, const place &b) { return a.used < b.used; });
		if (found->is_written)
			move(mixed(found->line) / sets_ % free_.size(), t);
		found->line = line;
		found->is_written = false;
		found->there = stores ? t + m_->l2_cycles
				      : move(hash / sets_ % free_.size(), t + m_->l2_cycles) + m_->memory_cycles;
	}
	found->used = ++uses_;
	found->is_written |= stores;
	return std::max(found->there, t + m_->l2_cycles);
}

cycle memory::write_through(cycle t)
{
	return move(saved_++ % free_.size(), t);
}

} // namespace pep
