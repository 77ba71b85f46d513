// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Pages come before anybody misses them, as it is known what each slice uses: those of a slice all at once, in the
// order of the slices, as far ahead as there is room. Who is used again last leaves first; what was not written is
// dropped.
#pragma once

#include "etc/bus.h"
#include "etc/device_memory.h"
#include "etc/events.h"
#include "etc/plan.h"

namespace etc
{

struct planned_counts {
	uint64_t fetched = 0, fresh = 0; // pages that were copied, and those that had not to be
	uint64_t written_back = 0, dropped = 0;
};

class planned_pager
{
      public:
	planned_pager(const machine &m, device_memory &memory, bus &b, event_queue &events,
		      const std::vector<slice> &slices);

	// Goes on as far as there is room. Slices whose pages are all there afterwards are added to @there.
	void advance(cycle t, std::vector<uint32_t> &there);
	void page_arrived(uint32_t page, std::vector<uint32_t> &there);
	void page_left(uint32_t page) { memory_.gone(page); }
	// The slice's pages may leave, as far as others do not need them.
	void ended(uint32_t slice);

	const planned_counts &counts() const { return counts_; }

      private:
	bool get(uint32_t page, bool fresh, cycle t);
	bool make_room(cycle t);
	bool find_victim(uint32_t *page) const;
	uint32_t next_use(uint32_t page) const;

	const machine m_;
	device_memory &memory_;
	bus &bus_;
	event_queue &events_;
	const std::vector<slice> &slices_;
	std::vector<std::vector<uint32_t>> uses_;    // of a page: slices
	std::vector<uint32_t> pins_;                 // of a page: slices that have it and have not ended
	std::vector<std::vector<uint32_t>> waiting_; // for a page that is coming: slices
	std::vector<uint32_t> lacks_;                // of a slice: pages that are coming
	uint32_t at_ = 0;                            // the slice whose pages are taken
	size_t taken_ = 0;                           // of them
	bool pinned_ = false;                        // all of them
	planned_counts counts_;
};

} // namespace etc
