// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests change what the driver below answers. All of its objects have one table of functions, which loaders call.
#pragma once

#include <CL/cl_icd.h>

namespace cltest
{

// Finds PoCL, and makes its table writable. The platform is null where there is no PoCL, or its table stays as it is.
struct driver {
	driver();

	cl_platform_id platform = nullptr;
	cl_icd_dispatch *table = nullptr;
};

} // namespace cltest
