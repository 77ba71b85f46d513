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

// Finds what the text says, which is null if there is none. It is false if that is none of these.
bool find_eviction(const char *text, eviction &found);

} // namespace het::rt
