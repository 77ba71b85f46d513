// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what het-bench has measured of a device.
#pragma once

#include "json/json.h"

#include <string>

namespace info
{

using het::json;

// Returns {made, days, figures: {name: value}}, or null if there is no profile of the device with this driver.
json profile_of(const std::string &device, const std::string &driver);

} // namespace info
