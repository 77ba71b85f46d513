// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <het.hpp>
#include <string>
#include <vector>

namespace tool::run
{

// Returns its place in the runtime's list, and its name.
std::string title_of(het::device d);

// Returns the devices that are meant by number, by name or a part of it; all of them if none is named. Throws
// std::runtime_error with a sentence.
std::vector<het::device> find_devices(const std::vector<std::string> &names);

} // namespace tool::run
