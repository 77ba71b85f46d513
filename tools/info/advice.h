// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what could be better here, and how to get it.
#pragma once

#include "info/child.h"

namespace info
{

// Returns sentences, the most important first, for a report with the parts "trap", "module", "userfaultfd", "memory",
// "machine" and "settings".
json advice(const json &report);

} // namespace info
