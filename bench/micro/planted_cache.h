// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A cache of a planted device. A TLB is one whose lines are pages.
#pragma once

#include "micro/random.h"

#include <cstddef>
#include <vector>

namespace micro
{

struct planted_cache {
	size_t size = 0, line = 64; // a line is a power of two
	unsigned ways = 8;
	unsigned segments = 1;       // of the last cache, each of this size: groups have them in turn
	double far_ns = 0;           // latency of what lies in another one
	size_t sector = 0;           // a miss brings so many bytes of a line; 0: all
	bool least_recent = true;    // the line that was used longest ago is replaced, or else any
	bool pages_anywhere = false; // it is indexed by physical addresses, and pages lie anywhere
	double ns = 1;               // latency of a load that finds its line here
};

// All the time of a planted device goes into these look-ups.
class cache_model
{
      public:
	cache_model(const planted_cache &c, size_t page, uint64_t seed);

	// Returns whether the line is there, and brings it in.
	bool access(uint64_t address);
	void clear();
	// Replaces a share of all lines by others'.
	void disturb(double share);

	const planted_cache &what() const { return what_; }

      private:
	uint64_t physical(uint64_t address) const;
	size_t place_of(size_t set, uint64_t line) const;
	size_t least_recent_of(size_t set) const;
	size_t place_to_fill(size_t set);
	bool bring_sector(size_t place, uint64_t at, bool new_line);

	const planted_cache what_;
	const size_t page_, sets_;
	const unsigned line_bits_;
	const uint64_t seed_;
	std::vector<uint64_t> lines_;   // of each set one after the other; 0: none
	std::vector<uint64_t> used_;    // when each was, by the number of accesses; 0: never. With least_recent.
	std::vector<uint64_t> sectors_; // that are there of each, if a miss brings less than a line
	uint64_t accesses_ = 0;
	random_stream random_;
};

} // namespace micro
