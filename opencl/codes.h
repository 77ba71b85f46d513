// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the runtime answers becomes what OpenCL answers here.
#pragma once

#include <CL/cl.h>

namespace hetcl
{

// Returns what a code of the runtime's, or 0, means as the result of a call or the status of a command.
cl_int code_of(int err);

} // namespace hetcl
