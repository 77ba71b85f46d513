// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the program may ask, and say, about a device's memory.
#pragma once

#include "core/runtime.h"

namespace het::rt
{

het_memory_info memory_of(het_device &d);
// Returns 0, HET_ENODEV, HET_EDEVICE, HET_ESTATE or HET_ENOMEM.
int change_budget(het_device &d, uint64_t nbytes);

} // namespace het::rt
