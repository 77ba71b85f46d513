// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The CUDA devices that gpuvm_init() could be given, asked through the driver, which is opened at run time.
#pragma once

#include "info/child.h"

namespace info
{

// { "driver": true, "cuda": "13.0", "devices": [ { "name", "capability", "copy_engines" }, ... ] }, or { "driver":
// false, "error" }.
json cuda();

} // namespace info
