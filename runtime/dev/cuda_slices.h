// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes slices of a launch on CUDA devices, by the PTX pass `slice`: Documentation/het-ptx-slice.rst.
#pragma once

#include "dev/compute_device.h"
#include "dev/cuda_calls.h"
#include "dev/cuda_sheets.h"
#include "ptx/module.h"

#include <map>
#include <string>

namespace het::rt
{

struct sliced_text {
	std::string text; // empty if it can't be sliced
	std::string why;  // tells why it can't
	// These kernels have to run whole; the value tells why. The pass has left them as they are, or they may wait
	// for another block, which may be one of another device's.
	std::map<std::string, std::string, std::less<>> whole;
	// It has variables that the host or a launch may write, of which the sliced text has others.
	bool has_variables = false;
};

// Others than the program itself, and the pass's own, may write them. What others can't name, and nobody can write, is
// the same in every text made of one; and so is the variable of cuda_ids.
bool has_variables(const ptx::module &m);

// Applies the pass to the text.
sliced_text ptx_slice_text(const char *ptx);

// Kernels of one lane read here which slice they are: no lane waits for another. The submitter owns it.
class cuda_slice_controls
{
      public:
	// Sends the control block of one launch ahead of it. The block is good until so many launches later that they
	// can't all be under way. Returns 0 or a code of the driver's.
	int send(const cuda_calls &cu, cu_stream stream, cuda_sheets &sheets, const launch_shape &shape,
		 cu_deviceptr *at);

      private:
	cuda_sheet *sheet_ = nullptr; // lives as long as the process
	size_t next_ = 0;
};

} // namespace het::rt
