// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Memory of a device that is no array's: raw memory, textures, windows. It can't be evicted, and arrays leave for it.
#pragma once

#include "core/runtime.h"

namespace het::rt
{

// Counts the bytes as used, when there is room for them. It waits for commands whose arrays must leave. Returns 0, or
// HET_EDEVICE if the budget is too small, HET_ENOMEM, HET_ESTATE. @call is for messages.
int reserve(het_device &d, memory_kind k, uint64_t nbytes, const char *call);
// They are not used any longer.
inline void give_back(het_device &d, memory_kind k, uint64_t nbytes)
{
	d.memory.account.remove(k, nbytes);
}

// Allocates a buffer that was reserved. It waits, too. @own_windows are bytes of windows that the caller has. Returns
// 0, HET_EDEVICE or HET_ENOMEM.
int allocate_reserved(het_device &d, uint64_t nbytes, void **buffer, uint64_t own_windows = 0);

} // namespace het::rt
