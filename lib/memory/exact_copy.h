// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies of some of an array's bytes from or to other memory, after which all is where it was before: of a chunk no
// more travels than these bytes, and no copy becomes valid or ceases to be, unless a device fails.
#pragma once

#include "memory/array.h"
#include "memory/exact_bytes.h"

namespace het
{

// Does what read_exactly() and write_exactly() do with bytes that all lie in one array. The caller is a visitor.
int copy_exactly(array &a, array_guard &g, range r, char *other, bool writes);

} // namespace het
