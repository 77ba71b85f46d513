// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Making chunks valid on a device.
#pragma once

#include "memory/array.h"

namespace het
{

// Makes all chunks of the span valid there, as far as @e (begin_read or begin_write) says. @writes tells that a kernel
// that writes needs them; @rewrites is as for next_round(). Returns 0, GPUVM_EDEVALLOC or GPUVM_EPROT.
int bring_to_device(array &a, array_guard &g, layout::span s, event e, unsigned device, bool writes,
		    const array_history *rewrites = nullptr);

} // namespace het
