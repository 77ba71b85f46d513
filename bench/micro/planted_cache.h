// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A cache of a planted device. A TLB is one whose lines are pages.
#pragma once

#include "micro/random.h"

#include <cstddef>
#include <vector>

namespace micro
{

struct planted_cache {
	size_t size = 0, line = 64;
	unsigned ways = 8;
	unsigned segments = 1;       // of the last cache, each of this size: groups have them in turn
	double far_ns = 0;           // latency of what lies in another one
	size_t sector = 0;           // a miss brings so many bytes of a line; 0: all
	bool least_recent = true;    // the line that was used longest ago is replaced, or else any
	bool pages_anywhere = false; // it is indexed by physical addresses, and pages lie anywhere
	double ns = 1;               // latency of a load that finds its line here
};

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
	uint64_t sector_of(uint64_t at) const;

	const planted_cache what_;
	const size_t page_, sets_;
	const uint64_t seed_;
	struct held {
		uint64_t line = 0;    // 0: none
		uint64_t sectors = 0; // that are there
	};
	std::vector<held> lines_; // of each set, the one that was used last first
	random_stream random_;
};

} // namespace micro
