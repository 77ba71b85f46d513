// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lists the OpenCL devices that gpuvm_init() could be given. The loader, which is opened at run time, is asked for
// them.
#pragma once

#include "info/child.h"

namespace info
{

// Returns { "loader": true, "platforms": [ { "name", "version", "devices": [ { "name", "type", "driver",
// "memory_bytes", "compute_units" }, ... ] }, ... ] }, or { "loader": false, "error" }.
json opencl();

} // namespace info
