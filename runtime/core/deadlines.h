// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Commands that are to have ended by some time become more urgent as that comes nearer, by the policy of
// policy/deadline.h: from their begin on, and later by a thread that looks when the next one is to rise.
#pragma once

#include "core/event.h"

namespace het::rt
{

// The command, which is not in the graph yet, is to have ended so many nanoseconds after it came. Then its level is as
// hasten() has it.
void set_deadline(het_event &e, uint64_t ns);
// It becomes as urgent as that wants, by what is known now of how long it takes. It is not in the graph yet.
void hasten(het_event &e);

// It comes to the graph, and leaves it. What has no deadline is no matter.
void watch_deadline(het_event &e);
void forget_deadline(het_event &e);

} // namespace het::rt
