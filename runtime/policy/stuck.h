// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells whether a part of a launch waits for what never comes. There is no clock here: whoever looks says what time it
// is.
#pragma once

#include <cstdint>

namespace het::rt
{

// @quiet is how long it ran, in seconds, while nothing else got on. @expected is how long it should take, or 0 if
// nothing is known of that. @least is in seconds, too: what is over sooner is no matter, and where nothing is known,
// neither is what takes many times as long.
bool is_stuck(double quiet, double expected, double least);

// Counts how long something has run with nothing else getting on, as far as that was seen. A process that was stopped,
// or a machine that had no time for the one who looks, shows long gaps between two looks: each counts for no longer
// than a look is meant to come after the one before.
class quiet_time
{
      public:
	// @gap is the time that is meant to lie between two looks, in nanoseconds. @runs says that it is under way on
	// its device; @progress is another number each time that anything has got on. Returns the nanoseconds so far.
	uint64_t look(uint64_t now, uint64_t gap, bool runs, uint64_t progress);

      private:
	bool ran_ = false;
	uint64_t last_ = 0, progress_ = 0, quiet_ = 0;
};

} // namespace het::rt
