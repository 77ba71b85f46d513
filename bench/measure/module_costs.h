// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the kernel module's own paths cost, without the library, each beside what does the same without the module.
#pragma once

#include "measure/figures.h"

namespace bench
{

// Each throws with the reason if something can't be had; answers with µs by rounds, by the names of what was measured:
// {"name": [...], ...}. To be called in a child process, as they start threads.

// The first touch of memory whose bytes are there: one touch, whatever it makes accessible.
json first_touch_costs(unsigned rounds);
// The first write to a chunk of 64 KiB that is shared with a device.
json first_write_costs(unsigned rounds);
// 64 MiB, all of it mapped, taken away from the host.
json revoke_costs(unsigned rounds);

// Runs the three, each in a child, prints and reports them. The figures that come of them.
std::vector<figure> module_figures(unsigned rounds, report &out);

} // namespace bench
