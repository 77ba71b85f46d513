// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is done to runs of chunks by whoever changes who has them: kernels' begins and ends, touches, links, forks.
#pragma once

#include "memory/array.h"

namespace het
{

// Takes the host's access to chunks down to @to; chunks that have less keep it. The caller holds the array's lock.
// Returns 0 or GPUVM_EPROT.
int lower_access(array &a, layout::span s, access to);

// The chunks take the step @next of the protocol. The caller holds the array's lock.
void enter_all(array &a, layout::span s, chunk_state next);

// The device's copy becomes the only valid one, of chunks that it has valid or that a kernel there writes. The caller
// holds the array's lock, and no chunk of the span is busy.
int give_to_device(array &a, layout::span s, unsigned device);

// Waits until no kernel that ended is under way and no chunk of the span is busy. Returns 0 or GPUVM_EDEVALLOC as
// settle() does.
int wait_until_quiet(array &a, array_guard &g, layout::span s);
// Waits until no chunk of the span is busy.
void wait_until_idle(array &a, array_guard &g, layout::span s);

// A kernel has ended or could not begin: chunks and edges that none writes any longer lose their mark. The caller holds
// the array's lock.
void forget_writers(array &a, layout::span s);

// A chunk's transfer is over: it is let go, and who was turned away is woken. The caller holds the array's lock.
void release_chunks(array &a, uint32_t first, uint32_t count);

} // namespace het
