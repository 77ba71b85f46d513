// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lists the CUDA devices that gpuvm_init() could be given. The driver, which is opened at run time, is asked for them.
#pragma once

#include "info/child.h"

namespace info
{

// Returns { "driver": true, "cuda": "13.0", "devices": [ { "name", "capability", "copy_engines" }, ... ] }, or {
// "driver": false, "error" }.
json cuda();

} // namespace info
