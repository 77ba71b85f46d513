// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares two PTX texts statement by statement: blanks and comments do not count.
#pragma once

#include "ptx/module.h"

namespace tool
{

// Prints the differences, and returns whether there are any.
bool print_differences(const het::ptx::module &a, const het::ptx::module &b);

} // namespace tool
