// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what the library does here with each trap: not what it should do, but what it was seen to do with one small
// array.
#pragma once

#include "info/child.h"

namespace info
{

// Returns { "name", "works", "reason", "kernel_touches", "shared_reads", "huge_pages", "resolvers" } of the trap that
// the library chooses by itself. If it finds none, there are only "works" and "reason".
json chosen_trap();

// Returns the same for each trap, asked for by name.
json all_traps();

} // namespace info
