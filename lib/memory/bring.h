// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Making chunks valid on a device.
#pragma once

#include "memory/array.h"

namespace het
{

// Makes all chunks of the span valid on the device of @u, as far as @e (begin_read or begin_write) says. @writes tells
// that a kernel that writes needs them; @rewrites is as for next_round(). Returns 0, GPUVM_EDEVALLOC, GPUVM_EPROT, or
// GPUVM_ESTATE without a message if some would have to travel and none may (usage::behind).
int bring_to_device(array &a, array_guard &g, layout::span s, event e, const usage &u, bool writes,
		    const array_history *rewrites = nullptr);

} // namespace het
