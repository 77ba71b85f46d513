// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Looks now and then at the split launches under way: one of whose parts waits for another never ends.
//
// The thread that looks starts with a launch that finds none, and ends when it has seen no launch for as long as is between two of its
// looks. So launches pay for a lock and a list, one in a second for a thread besides, and who launches nothing has none.
#pragma once

#include <cstdint>

namespace het::rt
{

class split_launch;

// A launch's place in the list of those that are watched. The watch's lock.
struct watched_launch {
	split_launch *next = nullptr, *before = nullptr;
	uint64_t seen = 0; // number of the last look at it
};

// Before its first part starts.
void watch(split_launch &l);
// All its parts are over. It may be looked at for a moment still, as whoever looks has a reference.
void unwatch(split_launch &l);

} // namespace het::rt
