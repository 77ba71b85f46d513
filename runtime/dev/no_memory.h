// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The memory of a device whose memory can't be had: it stands in its place in the memory core, and nothing can be
// linked there.
#pragma once

#include "dev/device.h"

namespace het::rt
{

// Null: out of memory. @error as of the factories in dev/device.h.
std::unique_ptr<device> make_no_memory(unsigned index, unsigned lanes, int *error);

} // namespace het::rt
