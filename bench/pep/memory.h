// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The second-level cache and the memory controllers behind it. Who asks is told at once when his line will be there,
// and lines are served in the order in which they are asked for.
#pragma once

#include "pep/machine.h"

#include <vector>

namespace pep
{

class memory
{
      public:
	explicit memory(const machine &m);

	// A line is loaded, or written, whole. Returns when it is there.
	cycle use(uint64_t line, bool stores, cycle t);
	// A line goes to memory past the cache. Returns when it has been written.
	cycle write_through(cycle t);

	uint64_t lines_moved() const { return moved_; }

      private:
	struct place {
		uint64_t line = ~uint64_t{0};
		cycle there = 0; // when its bytes come
		uint64_t used = 0;
		bool is_written = false;
	};
	cycle move(size_t controller, cycle t);

	const machine *m_;
	std::vector<place> places_; // by set
	size_t sets_;
	std::vector<double> free_; // when each controller has done what it was asked for
	uint64_t uses_ = 0, moved_ = 0, saved_ = 0;
};

} // namespace pep
