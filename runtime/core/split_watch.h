// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This looks now and then at the split launches under way: a launch of which one part waits for another never ends.
//
// The thread that looks starts with a launch that finds none, and ends when it has seen no launch for as long as is
// between two of its looks. So launches pay for a lock and a list, one in a second pays for a thread besides, and who
// launches nothing has none.
#pragma once

#include "core/object.h"

#include <cstdint>

namespace het::rt
{

// This is a launch that is watched, and its place in the list, which the watch's lock guards.
class watched_launch
{
      public:
	// Looks whether a part of it most likely waits for another. @gap is as that of quiet_time. No lock is held.
	virtual void look(uint64_t now, uint64_t gap, unsigned least_seconds) = 0;
	// Returns what lives as long as it.
	virtual object &kept_by() = 0;

	watched_launch *next = nullptr, *before = nullptr;
	uint64_t seen = 0; // is the number of the last look at it

      protected:
	~watched_launch() = default;
};

// Call it before the launch's first part starts.
void watch(watched_launch &l);
// All its parts are over. It may be looked at for a moment still, as whoever looks has a reference.
void unwatch(watched_launch &l);

} // namespace het::rt
