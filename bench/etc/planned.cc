// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/planned.h"

#include <algorithm>

namespace etc
{

planned_pager::planned_pager(const machine &m, device_memory &memory, bus &b, event_queue &events,
			     const std::vector<slice> &slices)
    : m_(m), memory_(memory), bus_(b), events_(events), slices_(slices), uses_(memory.npages()), pins_(memory.npages()),
      waiting_(memory.npages()), lacks_(slices.size())
{
	for (uint32_t s = 0; s < slices.size(); s++)
		for (const uint32_t page : slices[s].pages)
			uses_[page].push_back(s);
}

uint32_t planned_pager::next_use(uint32_t page) const
{
	const auto next = std::lower_bound(uses_[page].begin(), uses_[page].end(), at_);
	return next == uses_[page].end() ? ~0u : *next;
}

bool planned_pager::find_victim(uint32_t *found) const
{
	uint32_t last = 0;
	bool is_found = false, is_clean = false;
	for (uint32_t page = 0; page < memory_.npages(); page++) {
		if (!memory_.is_present(page) || pins_[page] > 0)
			continue;
		const uint32_t next = next_use(page);
		const bool clean = !memory_.is_dirty(page);
		if (!is_found || next > last || (next == last && clean && !is_clean)) {
			*found = page;
			last = next;
			is_clean = clean;
			is_found = true;
		}
	}
	return is_found;
}

// One page leaves; false if none can.
bool planned_pager::make_room(cycle t)
{
	uint32_t page = 0;
	if (!find_victim(&page))
		return false;
	const bool dirty = memory_.is_dirty(page);
	memory_.leave(page);
	if (dirty) {
		counts_.written_back++;
		events_.add(bus_.carry(bus::to_host, m_.page_bytes, t), event::kind_t::page_left, page);
	} else {
		counts_.dropped++;
		memory_.gone(page);
	}
	return true;
}

// Sends for the page unless it is there; false if it has to wait for room.
bool planned_pager::get(uint32_t page, bool fresh, cycle t)
{
	if (memory_.is_present(page))
		return true;
	if (memory_.of(page) == device_memory::state::absent) {
		// So many pages are on their way out that the bus is busy both ways.
		const uint32_t slack = std::max(1u, memory_.capacity() / 32);
		while (memory_.free() == 0 && memory_.leaving() < slack && make_room(t)) {
		}
		if (!memory_.take(page))
			return false;
		if (fresh) {
			counts_.fresh++;
			memory_.arrive(page);
			return true;
		}
		counts_.fetched++;
		events_.add(bus_.carry(bus::to_device, m_.page_bytes, t + m_.copy_cycles), event::kind_t::page_arrived,
			    page);
	}
	if (memory_.of(page) != device_memory::state::coming)
		return false; // it is leaving, and has to be gone first
	lacks_[at_]++;
	waiting_[page].push_back(at_);
	return true;
}

void planned_pager::advance(cycle t, std::vector<uint32_t> &there)
{
	while (at_ < slices_.size()) {
		const slice &s = slices_[at_];
		for (const uint32_t page : pinned_ ? std::vector<uint32_t>() : s.pages)
			pins_[page]++;
		pinned_ = true;
		while (taken_ < s.pages.size()) {
			if (!get(s.pages[taken_], s.fresh.has(s.pages[taken_]), t))
				return;
			taken_++;
		}
		if (lacks_[at_] == 0)
			there.push_back(at_);
		at_++;
		taken_ = 0;
		pinned_ = false;
	}
}

void planned_pager::page_arrived(uint32_t page, std::vector<uint32_t> &there)
{
	memory_.arrive(page);
	for (const uint32_t s : waiting_[page])
		if (--lacks_[s] == 0 && (s < at_))
			there.push_back(s);
	waiting_[page].clear();
}

void planned_pager::ended(uint32_t s)
{
	for (const uint32_t page : slices_[s].pages)
		pins_[page]--;
}

} // namespace etc
