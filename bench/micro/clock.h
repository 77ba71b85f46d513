// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The clock of a device, as its own kernels count it.
#pragma once

#include "micro/recorder.h"
#include "micro/target.h"

namespace micro
{

// Takes passed, ends, steps, a, b: each thread does so many steps of x = x * a + b, beginning with its number, and the
// first one of a group tells how many clocks and ns that took.
extern const kernel busy_clock;

// Says what launches one after the other tell, each of which has the GHz that it ran at.
fact clock_fact(const bench::series &ghz);

} // namespace micro
