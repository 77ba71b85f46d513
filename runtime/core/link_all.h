// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// All that a launch uses gets its memory on a device at once, or none of it does.
#pragma once

#include "core/pins.h"
#include "core/ranges.h"

namespace het::rt
{

// No bracket of the caller's is open: an array can't be linked anew before its last one has ended. Other arrays leave
// the device if need be, but for a launch that is to begin behind others. @beside are bytes that it needs for something
// else. If it is done, @kept holds the arrays until they have been opened.
outcome link_all(std::span<const range_use> uses, het_device &d, uint64_t beside, pin &kept, int *err);

// Returns the bytes of all arrays that are used, each counted once.
uint64_t bytes_of_arrays(std::span<const range_use> uses);

} // namespace het::rt
