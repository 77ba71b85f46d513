// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Documentation/compute-devices.rst adds a device as this one: it has memory of its own and a queue, and its kernels
// are functions of the program's.
#pragma once

#include "dev/compute_device.h"

namespace example
{

// het_device_describe() says this. A device that is to stay has a HET_DEVICE_... in het.h.
inline constexpr uint32_t device_kind = 1000;

// Returns null if there is no memory, or no thread.
std::unique_ptr<het::rt::compute_device> make_device();

} // namespace example
