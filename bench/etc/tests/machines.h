// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A machine whose times are easy to add up, and traces for it.
#pragma once

#include "etc/simulation.h"

namespace etc
{

// One processor; pages of four lines, of which two are a granule. A page takes 40 cycles on the bus, a fault 1000. A
// walk takes 2 + 19 cycles, a line of the second cache 10, one of memory 2 behind 7, or behind 5 in an open row.
inline machine plain_machine()
{
	machine m;
	m.clock_mhz = 1000;
	m.bus_gb_s = 12.8;
	m.fault_us = 1;
	m.processors = 1;
	m.channels = 1;
	m.page_bytes = 4 * line_bytes;
	m.granule_bytes = 8 * line_bytes;
	m.prefetcher = false;
	m.warps_of_processor = 8;
	m.blocks_of_processor = 4;
	m.walk_levels = 1;
	m.l2_tlb_cycles = 2;
	m.l1_cycles = 3;
	m.l2_cycles = 10;
	m.row_hit_cycles = 5;
	m.row_miss_cycles = 7;
	m.memory_mhz = 4000;
	m.launch_cycles = 100;
	m.copy_cycles = 50;
	m.remote_cycles = 200;
	return m;
}

inline warp_item load(uint32_t line, unsigned gap = 0)
{
	return {{item::kind_t::load, false, 0, uint16_t(gap), 0}, {line}};
}
inline warp_item store(uint32_t line, unsigned gap = 0)
{
	return {{item::kind_t::store, true, 0, uint16_t(gap), 0}, {line}};
}
inline warp_item use()
{
	return {{item::kind_t::use, false, 0, 0, 0}, {}};
}
inline warp_item barrier(unsigned gap = 0)
{
	return {{item::kind_t::barrier, false, 0, uint16_t(gap), 0}, {}};
}

using warps_of_block = std::vector<std::vector<warp_item>>;

// A program of launches of such blocks.
inline program_trace trace_of(uint64_t pages, const std::vector<std::vector<warps_of_block>> &launches)
{
	program_trace t;
	t.name = "by hand";
	t.bytes = pages * plain_machine().page_bytes;
	for (const std::vector<warps_of_block> &blocks : launches) {
		launch &l = t.launches.emplace_back();
		for (const warps_of_block &b : blocks)
			add_block(l, b);
	}
	return t;
}

inline configuration plain(uint64_t pages)
{
	configuration c;
	c.of = plain_machine();
	c.capacity = pages * c.of.page_bytes;
	c.check = true;
	return c;
}

} // namespace etc
