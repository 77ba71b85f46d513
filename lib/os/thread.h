// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

namespace het
{

// Starts a detached thread that blocks all signals. False: it could not be had.
bool start_thread(const char *name, void (*run)(void *), void *arg);

// Asks the scheduler to run the calling thread soon after it is woken: a short slice, and a better priority where the
// user may have one. For threads that work for microseconds at a time.
void wake_soon();

// Cores that this process may use.
unsigned usable_cores();

// Involuntary context switches of the calling thread so far: they rise when cores are short.
unsigned long preemptions();

} // namespace het
