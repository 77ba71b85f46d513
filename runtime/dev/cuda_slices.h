// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This makes slices of a launch on CUDA devices, by the PTX pass `slice`: Documentation/het-ptx-slice.rst.
#pragma once

#include "dev/compute_device.h"
#include "dev/cuda_calls.h"
#include "dev/cuda_sheets.h"

#include <map>
#include <string>

namespace het::rt
{

struct sliced_text {
	std::string text; // empty if it can't be sliced
	std::string why;  // tells why it can't
	// These kernels have to run whole, and the value tells why: they are those that the pass has left as they are,
	// and those that may wait for another block, which may be one of another device's.
	std::map<std::string, std::string, std::less<>> whole;
};

// Returns the text with the pass.
sliced_text ptx_slice_text(const char *ptx);

// Kernels read there which slice they are. It belongs to the submitter.
class cuda_slice_controls
{
      public:
	// Sends the control block of one launch ahead of it. It is good until so many launches later as can't be under
	// way at once. Returns 0 or a code of the driver's.
	int send(const cuda_calls &cu, cu_stream stream, cuda_sheets &sheets, const launch_shape &shape,
		 cu_deviceptr *at);

      private:
	cuda_sheet *sheet_ = nullptr; // lives as long as the process
	size_t next_ = 0;
};

} // namespace het::rt
