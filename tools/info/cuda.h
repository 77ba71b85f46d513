// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These are the CUDA devices that gpuvm_init() could be given. The driver is asked for them, and is opened at run time.
#pragma once

#include "info/child.h"

namespace info
{

// Returns { "driver": true, "cuda": "13.0", "devices": [ { "name", "capability", "copy_engines" }, ... ] }, or {
// "driver": false, "error" }.
json cuda();

} // namespace info
