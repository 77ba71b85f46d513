// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What there is of a chunk beside bytes that are lost comes home.
#pragma once

#include "memory/array.h"

namespace het
{

// All bytes of the chunk that are not lost are the host's, and nobody else's. Lock held.
bool is_rest_at_home(const array &a, uint32_t c);
// Makes it so. The chunk is not busy; the lock is dropped meanwhile. 0 or GPUVM_EDEVALLOC.
int bring_rest_home(array &a, array_guard &g, uint32_t c, unsigned lane);
// What can be had of the whole array, after a bring_home() that has failed.
void bring_rest_home(array &a, array_guard &g);

} // namespace het
