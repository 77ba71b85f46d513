// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The environment's HET_OPENCL_DEVICES chooses which devices a program is shown.
#pragma once

#include <vector>

namespace hetcl
{

// All members as one, or each by itself.
enum class shown { joint, single };

// Returns what is shown, in this order. What can't be understood is left out, with a warning.
std::vector<shown> shown_devices();

} // namespace hetcl
