// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch that can't be stopped runs as strips, so that others may come between: rows of groups side by side, which
// take about as long as they may. This says how many rows the next strip has. It knows no clock and no device; the
// caller serialises.
//
// What is known beforehand may be wrong, and rows differ. So a strip has no more than `growth` times the rows of the
// largest one that was measured, slower rows count at once and quicker ones bit by bit.
#pragma once

#include "policy/policy.h"

#include <cstdint>

namespace het::rt
{

class strip_sizes
{
      public:
	static constexpr size_t growth = 4;

	// A strip is to take no longer than @longest_ns, but has @least rows where there are so many: with fewer the
	// device would not be busy. @rows_a_ns is how fast they are expected to be, or 0.
	strip_sizes(size_t total, size_t least, uint64_t longest_ns, double rows_a_ns)
	    : total_(total), least_(least), longest_ns_(double(longest_ns)), rows_a_ns_(rows_a_ns)
	{
	}

	// Returns the next strip; a count of 0 means that there is nothing left.
	rows next();
	// A strip took so long.
	void measured(size_t rows, uint64_t ns);

      private:
	const size_t total_, least_;
	const double longest_ns_;
	double rows_a_ns_;
	size_t given_ = 0, largest_ = 0;
};

} // namespace het::rt
