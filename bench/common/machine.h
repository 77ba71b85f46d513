// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a result must say about where it was measured.
#pragma once

#include "json/json.h"

#include <string>

namespace bench
{

using het::json;

// Kernel, processor, cores, memory, huge page setting, load average, user.
json machine_info();

// Commit of the tree that the program was built in; "unknown" outside one. HET_COMMIT in the
// environment overrides it.
std::string commit();

// UTC, ISO 8601.
std::string time_stamp();

} // namespace bench
