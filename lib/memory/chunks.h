// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is done to runs of chunks by whoever changes who has them: kernels' begins and ends, touches, links, forks.
#pragma once

#include "memory/array.h"

namespace het
{

// Takes the host's access to chunks down to @to; chunks that have less keep it. Lock held. 0 or GPUVM_EPROT.
int lower_access(array &a, layout::span s, access to);

// The chunks take the step @next of the protocol. Lock held.
void enter_all(array &a, layout::span s, chunk_state next);

// The device's copy becomes the only valid one, of chunks that it has valid or that a kernel there writes. Lock held,
// no chunk of the span busy.
int give_to_device(array &a, layout::span s, unsigned device);

// No kernel that ended is under way, no chunk of the span is busy. 0 or GPUVM_EDEVALLOC as settle().
int wait_until_quiet(array &a, array_guard &g, layout::span s);
// The latter alone.
void wait_until_idle(array &a, array_guard &g, layout::span s);

// A kernel has ended or could not begin: chunks and edges that none writes any longer lose their mark. Lock held.
void forget_writers(array &a, layout::span s);

// A chunk's transfer is over: lets go of it and wakes who was turned away. Lock held.
void release_chunks(array &a, uint32_t first, uint32_t count);

} // namespace het
