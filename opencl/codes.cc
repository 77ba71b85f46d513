// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "codes.h"

#include <het.h>

namespace hetcl
{

cl_int code_of(int err)
{
	constexpr struct {
		int err;
		cl_int code;
	} codes[] = {{0, CL_SUCCESS},
		     {HET_ENOMEM, CL_OUT_OF_HOST_MEMORY},
		     {HET_ENULL, CL_INVALID_VALUE},
		     {HET_EARG, CL_INVALID_VALUE},
		     {HET_ENODEV, CL_INVALID_PROGRAM_EXECUTABLE},
		     {HET_EBUILD, CL_BUILD_PROGRAM_FAILURE},
		     {HET_ENAME, CL_INVALID_KERNEL_NAME},
		     {HET_EMEMORY, CL_OUT_OF_RESOURCES},
		     {HET_EWAIT, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST},
		     {HET_EIMAGE, CL_INVALID_BINARY}};
	for (const auto &c : codes) {
		if (c.err == err)
			return c.code;
	}
	return CL_OUT_OF_RESOURCES;
}

} // namespace hetcl
