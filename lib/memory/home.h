// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These make chunks valid on the host from a thread that called us, rather than for a touch. (What the interposers and
// the runtime call is in memory/hooks.h.)
#pragma once

#include "memory/array.h"
#include "memory/lane.h"

namespace het
{

// @e is fetch (the host gets a valid copy) or touch_write (it becomes the only owner). Nothing is shown: a touch of a
// chunk that is valid on the host is served without a device. Returns 0 or GPUVM_EDEVALLOC. Waits for kernels that are
// pending. The caller is a visitor, or has the structure lock.
int bring_home(array &a, array_guard &g, layout::span s, event e, unsigned lane = any_lane);

// Does so for every linked byte in @r.
int bring_range_home(range r, event e);
// Shows the chunks too, as touches (touch_read or touch_write) of each would, for @r inside one array:
// gpuvm_host_begin(). Returns 0, GPUVM_EHOSTPTR, GPUVM_EARG, GPUVM_EDEVALLOC or GPUVM_EPROT.
int show_range(range r, event e);

} // namespace het
