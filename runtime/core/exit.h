// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is what the runtime waits for when the program ends.
#pragma once

namespace het::rt
{

// At exit, work that can finish is waited for, while what was set up before this call is whole.
//
// Drivers set things up when a program is built, or a kernel runs, for the first time, and take them down at exit; what
// was registered last goes first. So this is called after each such time. It is false if there is no memory.
bool wait_at_exit();

} // namespace het::rt
