// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes twins on a CUDA device.
#pragma once

#include "dev/cuda_lanes.h"
#include "dev/opening.h"
#include "dev/twin.h"

#include <memory>

namespace het::rt
{

class cuda_twins
{
      public:
	cuda_twins(const cuda_calls &cu, cuda_lanes &lanes) : cu_(cu), lanes_(lanes) {}

	// Returns 0 or a code of the driver's. @context is current.
	int make(cu_context context, size_t nbytes, std::unique_ptr<device_twin> &made);

      private:
	friend class cuda_twin;

	int open();
	// Marks where the two differ, and waits. Returns 0 or a code of the driver's.
	int compare(cu_deviceptr now, cu_deviceptr before, size_t nbytes, cu_deviceptr marks, uint8_t *changed);

	const cuda_calls &cu_;
	cuda_lanes &lanes_;
	opening opening_;
	cu_module module_ = nullptr;
	cu_function function_ = nullptr;
	cu_stream stream_ = nullptr;
};

} // namespace het::rt
