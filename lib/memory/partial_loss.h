// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Here what there is of a chunk beside lost bytes comes home.
#pragma once

#include "memory/array.h"

namespace het
{

// All bytes of the chunk that are not lost are the host's, and nobody else's. The caller holds the array's lock.
bool is_rest_at_home(const array &a, uint32_t c);
// Makes it so. The chunk is not busy; the lock is dropped meanwhile. Returns 0 or GPUVM_EDEVALLOC.
int bring_rest_home(array &a, array_guard &g, uint32_t c, unsigned lane);
// Brings home what can be had of the whole array, after a bring_home() that has failed.
void bring_rest_home(array &a, array_guard &g);

} // namespace het
