// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The machine that the model is: table 3.1 of the thesis, and what the table leaves open. Times are cycles of the
// processors' clock.
#pragma once

#include "etc/trace.h"
#include "model/parameters.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace etc
{

using cycle = uint64_t;
constexpr cycle never = ~cycle{0};

struct machine {
	// Table 3.1.
	double clock_mhz = 1020;
	unsigned processors = 30;
	unsigned l1_bytes = 16 << 10, l1_ways = 4;
	unsigned l1_tlb = 64;
	unsigned l2_bytes = 2 << 20, l2_ways = 16;
	unsigned l2_tlb = 512;
	unsigned walk_cache_bytes = 8 << 10, walk_cache_ways = 16;
	unsigned walks = 64, walk_levels = 4;
	double memory_mhz = 1674;
	unsigned channels = 8, banks = 8;
	double fault_us = 20;
	double bus_gb_s = 16; // each way
	unsigned page_bytes = 64 << 10;
	unsigned granule_bytes = 2 << 20; // of what is evicted at once, and of the prefetcher's trees
	bool prefetcher = true;
	unsigned metadata_entries = 512; // pages whose compression is known without asking the memory

	// The table does not say these.
	unsigned warps_of_processor = 64, blocks_of_processor = 32;
	unsigned l1_cycles = 28, l2_cycles = 120; // of a hit
	unsigned l2_tlb_ways = 16, l2_tlb_cycles = 20, walk_cache_cycles = 10;
	unsigned row_bytes = 2048, row_hit_cycles = 20, row_miss_cycles = 45; // of a bank
	unsigned fault_batch = 256;                                           // faults that are looked at together
	unsigned launch_cycles = 3000;                                // from one launch's end to the next one's begin
	unsigned remote_cycles = 1200;                                // of a line that is read over the bus
	unsigned copy_cycles = 1000;                                  // of a planned copy, until its first byte moves
	unsigned unpack_cycles = 5;                                   // of a compressed line
	unsigned detection_cycles = 20000, execution_cycles = 100000; // the phases of throttling
	bool move_clean = true; // a page that leaves is copied back even if it was not written, as it has moved

	// A channel carries 4 bytes four times a cycle of its clock.
	cycle line_cycles() const;
	cycle fault_cycles() const { return cycle(fault_us * clock_mhz); }
	// The time of so many bytes on the bus, one at least.
	cycle bus_cycles(uint64_t bytes) const;
	unsigned pages_of_granule() const { return granule_bytes / page_bytes; }
	unsigned lines_of_page() const { return page_bytes / line_bytes; }
};

// Returns the machine that is @factor times smaller: processors, channels, L2, pages, granules and what the bus
// carries, while latencies and the numbers of pages stay. A program whose arrays are as much smaller takes about as
// long on it.
machine scaled(const machine &m, unsigned factor);

// Sets what "name=value" says. Throws std::invalid_argument.
void set(machine &m, const std::string &text);
using model::parameter;
std::vector<parameter> parameters_of(const machine &m);

} // namespace etc
