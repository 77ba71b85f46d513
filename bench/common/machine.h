// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A result must say this about where it was measured.
#pragma once

#include "json/json.h"

#include <string>

namespace bench
{

using het::json;

// Returns kernel, processor, cores, memory, huge page setting, load average and user.
json machine_info();

// Returns the commit of the tree that the program was built in, or "unknown" outside one. HET_COMMIT in the environment
// overrides it.
std::string commit();

// Returns the time as UTC in ISO 8601.
std::string time_stamp();

} // namespace bench
