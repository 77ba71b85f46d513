// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Stands in for the memory of a device whose memory can't be had: it has its place in the memory core, but nothing can
// be linked there.
#pragma once

#include "dev/device.h"

namespace het::rt
{

// Returns null if there is no memory. @error is that of the factories in dev/device.h.
std::unique_ptr<device> make_no_memory(unsigned index, unsigned lanes, int *error);

} // namespace het::rt
