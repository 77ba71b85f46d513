// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "analysis/accesses.h"
#include "analysis/sums.h"

namespace tool::analysis
{

// Returns what a launch needs to find out whether its groups use different bytes, as runtime/fatbin/apart.h reads it,
// or "" if it can't be said.
std::string apart_text(const accesses &of, sums &known);

} // namespace tool::analysis
