// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Each device on which launches run as slices has two threads for them, a fetcher and an evictor, each of which works
// for one launch at a time. So while the evictor brings home the last of one launch, the fetcher may begin the next.
#pragma once

#include "core/runtime.h"

namespace het::rt
{

class sliced_plan;

// Starts those of the device, once. Returns 0, or HET_ENOMEM if no thread can be had. @kernel is for messages.
int start_slice_threads(const het_device &d, const char *kernel);
// The fetcher of the launch's device, which has been started, sees to it.
void fetch_slices(sliced_plan &l);
// The launch is over: finish_here() is called where callbacks may run.
void end_in_service(sliced_plan &l, int status);

} // namespace het::rt
