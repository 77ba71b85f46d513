// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What HET_EVICT says: how launches that do not fit use a device's memory. The others than keep are to compare with.
#pragma once

#include <cstdint>

namespace het::rt
{

enum class eviction : uint8_t {
	keep,    // slices leave what several launches use in memory that nobody wants, and what they write there alone
	through, // what they write goes home with each launch all the same
	stream,  // nothing is left there, and slices fetch ahead all the same
	demand,  // a slice is as large as can be, and fetches when the one before is home
};

constexpr bool keeps_copies(eviction e)
{
	return e == eviction::keep || e == eviction::through;
}

// Whether a kernel that works on host memory in place is inspected before it begins (core/granule_marks.h).
enum class inspection : uint8_t {
	some,  // with large grids some blocks are
	whole, // all blocks are
	never,
};

// Finds what the text says, words with commas between them; it is null if there is none. It is false if a word is none
// of these. @mixes says whether launches that are queued on the same arrays run mixed (evict/skew.h).
bool find_eviction(const char *text, eviction &found, inspection &inspects, bool &mixes);

} // namespace het::rt
