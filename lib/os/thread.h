// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

namespace het
{

// Starts a detached thread that blocks all signals. False: it could not be had.
bool start_thread(const char *name, void (*run)(void *), void *arg);

// Cores that this process may use.
unsigned usable_cores();

// Involuntary context switches of the calling thread so far: they rise when cores are short.
unsigned long preemptions();

} // namespace het
