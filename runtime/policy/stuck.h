// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This tells whether a part of a launch waits for what never comes. It has no clock: whoever looks says what time it
// is.
#pragma once

#include <cstdint>

namespace het::rt
{

// @quiet is in seconds in which it ran and nothing else got on. @expected is how long it should take, or 0 if nothing
// is known of that. @least is in seconds, too: what is over sooner is no matter; where nothing is known, many times as
// long is not either.
bool is_stuck(double quiet, double expected, double least);

// It counts how long something has run with nothing else getting on, as far as that was seen. A process that was
// stopped, or a machine that had no time for the one who looks, shows long gaps between two looks: of each only so much
// counts as a look is meant to be after the one before.
class quiet_time
{
      public:
	// @gap is in nanoseconds between two looks. @runs says that it is under way on its device; @progress is another
	// number each time that anything has got on. Returns the nanoseconds so far.
	uint64_t look(uint64_t now, uint64_t gap, bool runs, uint64_t progress);

      private:
	bool ran_ = false;
	uint64_t last_ = 0, progress_ = 0, quiet_ = 0;
};

} // namespace het::rt
