// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds the OpenCL platforms whose devices the runtime has.
#pragma once

#include "dev/opencl_calls.h"

#include <span>

namespace het::rt
{

// Returns how many it has found. They are those of the loader. Where the loader has none but one that stands on this
// library, because the program was to see that alone, the drivers are opened that HET_OPENCL_VENDORS names: to the
// loader's calls their handles are as good as its own.
unsigned find_opencl_platforms(const opencl_calls &cl, std::span<cl_platform_id> room);

} // namespace het::rt
