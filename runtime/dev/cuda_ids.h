// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// No register tells a kernel these numbers of its launch: the offset of its ids, and the number of its dimensions. PTX
// that het-fatbin makes of OpenCL C looks for them in a variable (Documentation/fatbin.rst).
#pragma once

#include "dev/compute_device.h"
#include "dev/cuda_sheets.h"

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
	// Writes the numbers ahead of a launch on @stream, unless they are as the launch before had them: then the
	// launch comes behind the write, if another stream had that. What runs on other streams must not read what is
	// written. @are_others says that there are such streams.
	int send(const cuda_calls &cu, cuda_sheets &sheets, cu_stream stream, bool are_others,
		 const launch_shape &shape);
	// Nothing will be sent any longer. The device's context is current.
	void close(const cuda_calls &cu);

      private:
	// Kernels see this layout.
	struct layout {
		uint64_t offset[3], dimensions; // dimensions is 0 for one

		friend bool operator==(const layout &, const layout &) = default;
	};
	// So many writes are never under way at once.
	static constexpr size_t places = 2048;

	static layout layout_of(const launch_shape &shape);
	int write(const cuda_calls &cu, cuda_sheets &sheets, cu_stream stream, const layout &wanted);
	int record(const cuda_calls &cu);

	cu_deviceptr at_ = 0;
	cuda_sheets *sheets_ = nullptr;
	cuda_sheet *sheet_ = nullptr; // what is sent lies here, as the host waits where it is not pinned
	size_t next_ = 0;
	layout sent_ = {};
	cu_stream sent_on_ = nullptr;
	cu_event written_ = nullptr;
	bool is_recorded_ = false; // the event, behind the last write
};

} // namespace het::rt
