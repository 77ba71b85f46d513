// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What it brings to share launches out among all devices: against each device by itself, and against what is possible
// at best.
#pragma once

#include "apps/common/app.h"

namespace bench
{

// Computes on each device alone and on all together, in turns. Times are from the first launch to the end of the last
// one, with what has to travel to the devices; not the host's part. Ideal is the time in which all devices would have
// done it if each did its part as fast as alone. Exit status as run_application().
int measure_sharing(const application &a, const app_options &o, const std::vector<het::device> &devices);

} // namespace bench
