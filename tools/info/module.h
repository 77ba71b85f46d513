// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Asks the kernel module without the library.
#pragma once

#include "info/child.h"

namespace info
{

// Returns { "file", "opens", "errno", "error", "features": [...], "parameters": {...} }. "errno" and "error" are there
// only if it does not open or refuses to talk, "features" otherwise; "parameters" are those of the module that can be
// read.
json module();

} // namespace info
