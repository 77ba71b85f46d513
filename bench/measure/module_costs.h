// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what the kernel module's own paths cost, without the library, each beside what does the same without the
// module.
#pragma once

#include "measure/figures.h"

namespace bench
{

// Each of these throws with the reason if something can't be had. It answers with µs by rounds, by the names of what
// was measured: {"name": [...], ...}. It must be called in a child process, as it starts threads.

// Measures the first touch of memory whose bytes are there: one touch, whatever it makes accessible.
json first_touch_costs(unsigned rounds);
// Measures the first write to a chunk of 64 KiB that is shared with a device.
json first_write_costs(unsigned rounds);
// Asks whether chunks are still touched that stay mapped, and touches them: for each chunk.
json asking_costs(unsigned rounds);
// Takes 64 MiB away from the host, all of which are mapped.
json revoke_costs(unsigned rounds);

// Runs the four, each in a child, and prints and reports them. Returns the figures that come of them.
std::vector<figure> module_figures(unsigned rounds, report &out);

} // namespace bench
