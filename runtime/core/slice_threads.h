// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Each device on which launches run as slices has two threads for them, a fetcher and an evictor, each of which works
// for one launch at a time. So while the evictor brings home the last of one launch, the fetcher may begin the next.
#pragma once

namespace het::rt
{

class sliced_launch;

// The fetcher of the launch's device sees to it. It is false if no thread can be had.
bool fetch_slices(sliced_launch &l);
// The launch is over: finish() is called for it where callbacks may run.
void end_in_service(sliced_launch &l, int status);

} // namespace het::rt
