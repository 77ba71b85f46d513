// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// No register tells a kernel these numbers of its launch: the offset of its ids, and the number of its dimensions. PTX
// that het-fatbin makes of OpenCL C looks for them in a variable (Documentation/fatbin.rst).
#pragma once

#include "dev/compute_device.h"
#include "dev/cuda_calls.h"

namespace het::rt
{

// This is the variable's name.
inline constexpr char cuda_ids_name[] = "het_launch";

class cuda_ids
{
      public:
	// Finds the module's variable. Returns a code of the driver's; it is no error if there is none.
	int open(const cuda_calls &cu, cu_module module);
	bool are_there() const { return at_ != 0; }
	// Returns whether send() would write.
	bool would_send(const launch_shape &shape) const { return at_ && layout_of(shape) != sent_; }
	// Writes the numbers ahead of a launch on @stream, unless they are as the launch before had them. What runs on
	// other streams must not read them.
	int send(const cuda_calls &cu, cu_stream stream, const launch_shape &shape);

      private:
	// Kernels see this layout.
	struct layout {
		uint64_t offset[3], dimensions; // dimensions is 0 for one

		friend bool operator==(const layout &, const layout &) = default;
	};
	static layout layout_of(const launch_shape &shape);

	cu_deviceptr at_ = 0;
	layout sent_ = {};
};

} // namespace het::rt
