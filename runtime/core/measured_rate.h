// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What het-bench has measured of a device, if its user has asked for that: decisions start from it, and not from
// guesses.
#pragma once

#include "cache/device_profile.h"
#include "dev/compute_device.h"
#include "policy/unseen.h"

namespace het::rt
{

// Returns how many bytes a second travel to a device, as its profile says, or @guess if that says nothing or what can't
// be true.
double measured_rate(const cache::device_profile &p, double guess);

kernel_rates measured_kernel_rates(const cache::device_profile &p);

// Returns the profile that the user's store has of a device: an empty one if there is none.
cache::device_profile profile_of(const compute_device &d);

} // namespace het::rt
