// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This measures what it brings to share launches out among all devices: against each device by itself, and against what
// is possible at best.
#pragma once

#include "apps/common/app.h"

namespace bench
{

// Computes on each device alone and on all together, in turns. Times go from the first launch to the end of the last
// one, with what has to travel to the devices, and without the host's part. The ideal is the time in which all devices
// would have done it if each did its part as fast as alone. Returns an exit status as run_application() does.
int measure_sharing(const application &a, const app_options &o, const std::vector<het::device> &devices);

} // namespace bench
