// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lets kernels on CUDA devices work on host memory in place, by the PTX pass `resident`:
// Documentation/het-ptx-resident.rst.
#pragma once

#include "dev/cuda_calls.h"
#include "dev/granule_table.h"

#include <map>
#include <string>

namespace het::rt
{

// The pass's variable, which a module of such a text has.
inline constexpr char granules_variable[] = "het_resident_table";

struct in_place_text {
	std::string text; // empty if it can't be had
	std::string why;  // tells why it can't
	// Has for each kernel the most bytes that an instruction of it, or of what it may call, uses at an address.
	std::map<std::string, unsigned, std::less<>> widest_access;
};

// Describes a kernel of such a text; there is no table in others.
struct in_place_kernel {
	cu_deviceptr table = 0; // the variable
	unsigned widest_access = 0;
};

// Applies the pass to the text.
in_place_text ptx_in_place_text(const char *ptx);

// Sets the variable for the launch that comes next on the stream; @g lives until that has ended. Returns a code of the driver's.
int send_granules(const cuda_calls &cu, cu_stream stream, cu_deviceptr variable, const granule_table &g);

} // namespace het::rt
