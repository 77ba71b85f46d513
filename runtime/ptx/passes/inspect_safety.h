// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Says whether what the pass inspect keeps of a function is harmless whatever its loads from arrays give: that may be
// no value that the program would have seen.
#pragma once

#include "ptx/module.h"

namespace het::ptx
{

class inspect_slice;

// Loads from arrays are looked at one by one. Tells which other kept access has an address that may depend on a loaded
// value, or where threads that such values have parted would wait for each other.
std::optional<fault> unsafe_use(const module &m, const function &f, const inspect_slice &slice);

} // namespace het::ptx
