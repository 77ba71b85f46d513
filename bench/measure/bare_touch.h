// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a trap's way to catch a touch costs by itself: one page of a memory file is taken away and shown again, with no
// copy, no array and no library. It is the floor below which no touch under that trap can get.
#pragma once

#include "common/child.h"

#include <string>

namespace bench
{

// Runs in a child process. The answer to {samples, hold} is as many touches in µs, each shown @hold µs after it was
// caught: a toucher that sleeps for that long is slower to come back. @spins: who waits for touches never sleeps.
// Throws if the trap has no such floor (kmod), or can't be had.
answer_fn start_bare_touches(const std::string &trap, bool spins);

} // namespace bench
