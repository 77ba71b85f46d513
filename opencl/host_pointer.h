// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The calls of cl_het_host_pointer, which <CL/cl_ext_het.h> documents.
#pragma once

#include <CL/cl.h>

namespace hetcl
{

cl_int CL_API_CALL set_host_pointer(cl_kernel k, cl_uint i, void *pointer, size_t nbytes);
cl_int CL_API_CALL forget_host_pointer(void *pointer, size_t nbytes);

} // namespace hetcl
