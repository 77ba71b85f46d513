// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Pages come when somebody has missed them, as with a driver that serves faults: it takes what faults there are, thinks
// for the time of a fault, sends for the pages and for what the prefetcher adds, and looks for new faults when all of
// them are there. Where there is no room the oldest granule leaves first.
#pragma once

#include "etc/bus.h"
#include "etc/device_memory.h"
#include "etc/events.h"

#include <deque>

namespace etc
{

struct demand_counts {
	uint64_t faults = 0, batches = 0;     // pages that were missed, and how often the driver looked
	uint64_t fetched = 0, prefetched = 0; // pages; the former include the latter
	uint64_t evictions = 0, evicted = 0;  // granules, pages
	uint64_t ahead = 0;                   // granules that left before there was no room
};

class demand_pager
{
      public:
	demand_pager(const machine &m, device_memory &memory, bus &b, event_queue &events)
	    : m_(m), memory_(memory), bus_(b), events_(events), wanted_(memory.npages())
	{
	}

	// From now on granules leave ahead.
	void evict_ahead() { ahead_ = true; }
	// Somebody has missed the page.
	void fault(uint32_t page, cycle t);
	// These are told of their events. When page_arrived() returns the page is there; go_on() may send it away
	// again.
	void batch(cycle t);
	void page_arrived(uint32_t page);
	void go_on(cycle t) { send(t); }
	void page_left(uint32_t page, cycle t);

	const demand_counts &counts() const { return counts_; }

      private:
	void look(cycle t);
	void ask(uint32_t page, bool missed);
	void send(cycle t);
	bool evict(cycle t);
	void make_room_ahead(cycle t);

	const machine m_;
	device_memory &memory_;
	bus &bus_;
	event_queue &events_;
	std::vector<bool> wanted_;    // in a buffer, asked for, or coming
	std::deque<uint32_t> faults_; // that nobody has looked at
	std::deque<uint32_t> asked_;
	std::vector<uint32_t> batch_;
	unsigned coming_ = 0;
	bool thinking_ = false, serving_ = false, ahead_ = false;
	demand_counts counts_;
};

} // namespace etc
