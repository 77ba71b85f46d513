// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A touch of the host that waits for a kernel makes this kernel as urgent as anything is, as a program that waits is as
// urgent as it can be. Who touches may be in a signal handler and hold locks, so a thread of its own does it.
#pragma once

#include <cstdint>

namespace het::rt
{

// Levels differ, and it starts the thread if that was not tried: levels::when_several() is told of it. Without the
// thread nothing is lent.
void start_lender();

// A touch of this byte waits for a kernel. It takes no lock, touches no memory that can be trapped, and may be called
// in a signal handler.
void note_waiting_touch(uintptr_t at);

} // namespace het::rt
