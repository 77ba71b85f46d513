// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The end of a kernel brings home what the host is expected to touch (core/foresight.h), and leaves those pages where
// they are.
//
// Only the end of a kernel that has finished does so, with nobody else at work on the array: of kernels that overlap
// the last one. Never in strict mode, as the runtime's arrays are: a page that the host has must not change there
// before the program knows that the kernel has ended. Chunks that have failed, are in fragments or joint are left
// alone. A chunk keeps its pages, at most read-only if it is expected to be read, while its bytes come home; it is
// busy, so whoever is caught there waits. If they do not come, it is taken away as all others are, before the end
// returns: its device owns it, and a touch tries again.
#pragma once

#include "memory/array.h"
#include "memory/usage.h"

namespace het
{

// A touch has been served: chunks are shown. Lock held.
void note_touch(array &a, layout::span s, bool write);

// The chunks of a kernel that has ended: those that are expected come home, the others go to the device. Lock held, but
// dropped meanwhile; no chunk is busy and no kernel pending. @may: bytes may come home now. 0, or as give_to_device().
int give_or_foresee(array &a, array_guard &g, const usage &u, bool may);

// Another end of a kernel that owns everything, of the whole array, with no touch since the one before. False: it must
// be looked at, as something may be expected. Needs no lock.
bool passes_unseen(array &a);

// What is known of the array goes with its chunks. Lock held, or not live.
void forget_touches(array &a);

} // namespace het
