// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells OpenCL's error codes to people.
#pragma once

#include "dev/opencl_api.h"

namespace het
{

// The loader says CL_PLATFORM_NOT_FOUND_KHR, which old headers lack, if no driver is installed.
inline constexpr cl_int cl_platform_not_found = -1001;

// Returns "CL_OUT_OF_RESOURCES" and so on, and "unknown OpenCL error" for others.
const char *cl_error_name(cl_int error);

} // namespace het
