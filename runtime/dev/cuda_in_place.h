// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lets kernels on CUDA devices work on host memory in place, by the PTX pass `resident`:
// Documentation/het-ptx-resident.rst.
#pragma once

#include "dev/cuda_calls.h"
#include "dev/cuda_sheets.h"
#include "dev/granule_table.h"
#include "dev/inspection_table.h"

#include <map>
#include <string>

namespace het::rt
{

// The pass's variable, which a module of such a text has.
inline constexpr char granules_variable[] = "het_resident_table";
// And that of the pass `inspect`.
inline constexpr char inspection_variable[] = "het_inspect_table";

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
	cu_deviceptr inspection = 0; // the other one, if it inspects
};

// The program's kernels as the passes `inspect` and `resident` make them (Documentation/het-ptx-inspect.rst).
struct inspection_text {
	std::string text; // empty if it can't be had
	std::string why;  // tells why it can't, or why the first of the kernels is not there that can't be inspected
};

// Applies the pass to the text.
in_place_text ptx_in_place_text(const char *ptx);

// Applies both passes.
inspection_text ptx_inspection_text(const char *ptx);

// Copies tables from pinned memory, so that the submitter never waits for the stream. The submitter owns it.
class cuda_granule_tables
{
      public:
	// These set the variable for the launch that comes next on the stream. They return a code of the driver's.
	int send(const cuda_calls &cu, cu_stream stream, cuda_sheets &sheets, cu_deviceptr variable,
		 const granule_table &g)
	{
		return send(cu, stream, sheets, variable, &g, sizeof(g));
	}
	int send(const cuda_calls &cu, cu_stream stream, cuda_sheets &sheets, cu_deviceptr variable,
		 const inspection_table &i)
	{
		return send(cu, stream, sheets, variable, &i, sizeof(i));
	}

      private:
	int send(const cuda_calls &cu, cu_stream stream, cuda_sheets &sheets, cu_deviceptr variable, const void *table,
		 size_t nbytes);

	cuda_sheet *sheet_ = nullptr; // lives as long as the process
	size_t next_ = 0;
};

} // namespace het::rt
