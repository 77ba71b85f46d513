// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Begins that bring to a device the bytes that a part of a launch uses, and of a chunk that it has a part of no more.
// Others may be at work in the rest on the same device.
#pragma once

#include "memory/kernel.h"

namespace het
{

// Serves a reader that is part of a launch, and a joint writer of unknown bytes (joint_kind::noted). What other parts
// of the launch on this device write is left alone: it may have been written.
int bring_exact(array &a, array_guard &g, const usage &u);

// Serves a joint writer of known bytes (joint_kind::exact), unless it writes them all. They do not count as valid there
// before its end: others, who are served meanwhile, get them from elsewhere. *only_copy is set if there is nowhere
// else.
int bring_for_exact_writer(array &a, array_guard &g, const usage &u, bool *only_copy);

} // namespace het
