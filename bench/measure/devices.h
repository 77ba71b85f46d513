// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A child process finds out what devices there are, so that the parent stays without a device runtime and can fork.
#pragma once

#include "json/json.h"

#include <string>
#include <vector>

namespace bench
{

using het::json;

struct device_choice {
	std::vector<std::string> names;
	json descriptions = json::array();
};

// @wanted has names, "all" for the host device and every OpenCL and CUDA device, or nothing for the host device and the
// first OpenCL device. Says so on stderr where there is no OpenCL device.
device_choice choose_devices(const std::vector<std::string> &wanted);

} // namespace bench
