// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// How many groups a device has room for at once.
#pragma once

#include "micro/recorder.h"

#include <functional>

namespace micro
{

// @time_of tells the ns of a launch of so many groups, each of which takes equally long. Returns how many take as long
// as one: from one more on some wait for others.
fact resident_fact(const std::string &name, uint32_t most, const std::function<double(uint32_t groups)> &time_of);

} // namespace micro
