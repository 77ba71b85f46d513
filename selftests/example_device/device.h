// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A device as Documentation/compute-devices.rst adds one: with memory of its own and a queue, and kernels that are
// functions of the program's.
#pragma once

#include "dev/compute_device.h"

namespace example
{

// What het_device_describe() says. One that is to stay has a HET_DEVICE_... in het.h.
inline constexpr uint32_t device_kind = 1000;

// Null: there is no memory, or no thread.
std::unique_ptr<het::rt::compute_device> make_device();

} // namespace example
