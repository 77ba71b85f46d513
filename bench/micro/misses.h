// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What share of loads misses a cache, when a ring of a footprint is followed in a random order: it depends on how the
// cache replaces lines, and on whether the ring's pages lie in a row in physical memory, by which caches are indexed.
#pragma once

#include <span>

namespace micro
{

struct miss_model {
	const char *name;
	unsigned ways;
	bool least_recent;   // the line that was used longest ago is replaced, or else any
	bool pages_anywhere; // sets are filled unevenly
	bool keeps_one;   // of the ways of a set one keeps its line for good, and the oldest of the others is replaced
	bool many_places; // a line, or a page of a TLB, has many of the ring's places: each load goes to any of them
	bool two_segments = false; // what misses the near one may be in a far one of the same size
};

std::span<const miss_model> miss_models();

// Returns the share for a footprint of @load times the cache's size. It is looked up in a table.
double miss_share(const miss_model &m, double load);

} // namespace micro
