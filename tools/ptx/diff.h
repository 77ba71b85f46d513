// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This tells what differs between two PTX texts, statement by statement: blanks and comments do not count.
#pragma once

#include "ptx/module.h"

namespace tool
{

// Prints the differences. It is true if there are any.
bool print_differences(const het::ptx::module &a, const het::ptx::module &b);

} // namespace tool
