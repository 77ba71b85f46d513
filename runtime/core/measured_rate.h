// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What het-bench has measured of a device, if its user has asked for that: decisions start from it, and not from
// guesses.
#pragma once

#include "cache/device_profile.h"
#include "dev/compute_device.h"

namespace het::rt
{

// Returns how many bytes a second travel to a device, as its profile says, or @guess if that says nothing or what can't
// be true.
double measured_rate(const cache::device_profile &p, double guess);
double measured_rate(const compute_device &d, double guess);

} // namespace het::rt
