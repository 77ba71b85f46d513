// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Says which granules of a launch in place (evict/granules.h) are worth a frame on the device, by what the launches
// before it, of the same kernel and arguments, have used.
//
// An access in place takes bus time, and so does a copy. A granule that was never brought has cost what its accesses
// took; one that is brought costs a copy once, and if it is written a copy home each time. Nobody knows how many
// launches will follow: as many more as there were is a good guess, by which no order of launches costs much more than
// twice what the best choice would have.
#pragma once

#include <cstdint>

namespace het::rt
{

// What launches of a kernel on the same arguments have shown.
struct launches_seen {
	unsigned count = 0;
	double access_ns = 0; // an access in place took so long, of the bus's time
	double byte_ns = 0;   // and a byte of a copy
};

// Returns how long an access in place takes, if so many were all that a kernel of so many nanoseconds did. They go on
// at once, and neighbouring ones share what travels, so that differs a hundredfold between kernels; but one takes never
// longer than one at a random place does.
double access_ns_of(uint64_t kernel_ns, uint64_t accesses);

// One granule, in a launch.
struct granule_use {
	uint64_t bytes = 0;
	uint64_t accesses = 0; // of the last launch that counted them
	bool is_written = false;
	bool must_come = false;    // what it has must be copied to a frame first
	bool is_used_once = false; // in order: its accesses take no longer than a copy
};

// Returns what a launch gains by a frame for it, in nanoseconds; 0: nothing.
uint64_t worth_of(const granule_use &g, const launches_seen &seen);

} // namespace het::rt
