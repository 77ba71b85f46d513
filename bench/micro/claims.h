// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Asks drivers and the system what a device is said to be.
#pragma once

#include "common/device.h"
#include "micro/target.h"

namespace micro
{

traits traits_of(bench::device &d);

} // namespace micro
