// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This turns what threads did to memory into the packets of their caches, each with those that wait for it.
//
// A core does one event after the other. It waits for what it reads; of what it writes eight lines may be under way.
// The threads take turns by their clocks, for which each packet takes the same time, whatever the network will be like.
// A barrier is a packet from each core to the first one, and back.
#pragma once

#include "noc/trace/accesses.h"
#include "noc/trace/caches.h"
#include "noc/trace/netrace.h"

#include <string>

namespace noc
{

struct packet_options {
	cache_options cache;
	unsigned nominal = 20; // cycles that a packet takes for the threads' clocks
	unsigned writes = 8;   // that a core does not wait for
	std::string name = "accesses";
};

struct cache_counts {
	uint64_t accesses = 0, misses = 0;
};

// Throws std::invalid_argument where there are more threads than cores, or some of them wait at a barrier that others
// never reach.
packet_trace packets_of(const access_trace &accesses, const packet_options &o, cache_counts *counts = nullptr);

} // namespace noc
