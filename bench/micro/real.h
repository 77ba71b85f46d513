// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes a device of the machine one under test.
#pragma once

#include "micro/target.h"

#include <memory>

namespace micro
{

// Opens a device by a name that bench::open_device() takes. Throws if there is no such device.
std::unique_ptr<target> open_real(const std::string &name);

// Returns the names of all devices here, the one to measure without being told first.
std::vector<std::string> real_names();

// Returns the names of that device and of others that have the same title.
std::vector<std::string> names_like(const std::string &name);

} // namespace micro
