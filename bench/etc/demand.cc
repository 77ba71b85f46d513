// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/demand.h"

#include "etc/neighbours.h"
#include "policy/ahead.h"

namespace etc
{

void demand_pager::fault(uint32_t page, cycle t)
{
	if (wanted_[page])
		return;
	wanted_[page] = true;
	counts_.faults++;
	faults_.push_back(page);
	if (!thinking_ && !serving_)
		look(t);
}

void demand_pager::look(cycle t)
{
	thinking_ = true;
	counts_.batches++;
	batch_.clear();
	while (!faults_.empty() && batch_.size() < m_.fault_batch) {
		batch_.push_back(faults_.front());
		faults_.pop_front();
	}
	events_.add(t + m_.fault_cycles(), event::kind_t::batch);
}

void demand_pager::ask(uint32_t page, bool missed)
{
	asked_.push_back(page);
	if (!missed) {
		wanted_[page] = true;
		counts_.prefetched++;
	}
}

void demand_pager::batch(cycle t)
{
	thinking_ = false;
	serving_ = true;
	for (const uint32_t page : batch_)
		ask(page, true);
	for (const uint32_t page : batch_) {
		if (!m_.prefetcher)
			break;
		const uint32_t first = memory_.granule_of(page) * m_.pages_of_granule();
		std::vector<bool> there(std::min(m_.pages_of_granule(), memory_.npages() - first));
		for (uint32_t i = 0; i < there.size(); i++)
			there[i] = wanted_[first + i] || memory_.is_present(first + i);
		for (const uint32_t more : ask_for_neighbours(there, page - first))
			ask(first + more, false);
	}
	send(t);
}

// Sends for what was asked for, as far as there is room.
void demand_pager::send(cycle t)
{
	while (!asked_.empty()) {
		const uint32_t page = asked_.front();
		if (!memory_.take(page)) {
			// The page itself may be leaving; otherwise room has to be made.
			if (memory_.free() == 0 && memory_.leaving() == 0 && !evict(t))
				break;
			if (!memory_.take(page))
				break;
		}
		asked_.pop_front();
		counts_.fetched++;
		coming_++;
		events_.add(bus_.carry(bus::to_device, m_.page_bytes, t), event::kind_t::page_arrived, page);
		make_room_ahead(t);
	}
	if (asked_.empty() && coming_ == 0 && serving_) {
		serving_ = false;
		if (!faults_.empty())
			look(t);
	}
}

void demand_pager::make_room_ahead(cycle t)
{
	const auto state = [&] {
		return het::rt::memory_state{true, ahead_, uint64_t{memory_.free() + memory_.leaving()} * m_.page_bytes,
					     m_.granule_bytes};
	};
	while (het::rt::evicts_ahead(state()) && evict(t))
		counts_.ahead++;
}

// The oldest granule leaves: its pages are absent when all of them have arrived at the host, or at once if they need
// not.
bool demand_pager::evict(cycle t)
{
	uint32_t granule = 0;
	if (!memory_.find_oldest(&granule))
		return false;
	counts_.evictions++;
	std::vector<uint32_t> moving;
	for (const uint32_t page : memory_.present_of(granule)) {
		const bool moves = m_.move_clean || memory_.is_dirty(page);
		memory_.leave(page);
		counts_.evicted++;
		if (moves)
			moving.push_back(page);
		else
			memory_.gone(page);
	}
	if (moving.empty())
		return true;
	const cycle end = bus_.carry(bus::to_host, uint64_t{moving.size()} * m_.page_bytes, t);
	for (const uint32_t page : moving)
		events_.add(end, event::kind_t::page_left, page);
	return true;
}

void demand_pager::page_arrived(uint32_t page)
{
	memory_.arrive(page);
	wanted_[page] = false;
	coming_--;
}

void demand_pager::page_left(uint32_t page, cycle t)
{
	memory_.gone(page);
	send(t);
}

} // namespace etc
