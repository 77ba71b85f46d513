// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Chunks that foresight asks in place (core/foresight.h): the trap tells what the host does with them, though it may
// use them. The array's lock is held.
#pragma once

#include "memory/history.h"

namespace het
{

// At the end of a kernel, before it is learned from: what was asked of these chunks is answered.
void hear_answers(array &a, array_history &h, layout::span s);
// Behind it, before the host may use what has come home: from now on accesses to what is asked count.
void ask_in_place(array &a, const array_history &h);

} // namespace het
