// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Keeps memory for the notes of launches under way, on the device and pinned on the host, also for launches to come.
#pragma once

#include "dev/cuda_calls.h"
#include "os/lock.h"

#include <memory>

namespace het::rt
{

// Both parts have @size bytes.
struct cuda_sheet {
	size_t size;
	cu_deviceptr device;
	char *host;
	cuda_sheet *next; // the next in the list of free ones
};

class cuda_sheets
{
      public:
	explicit cuda_sheets(const cuda_calls &cu) : cu_(cu) {}

	// Takes a sheet of at least so many bytes. Returns 0 or a code of the driver's. The device's context is
	// current.
	int take(size_t nbytes, cuda_sheet **taken);
	void give_back(cuda_sheet *s);

      private:
	cuda_sheet *find(size_t nbytes);

	const cuda_calls &cu_;
	futex_lock lock_; // rank leaf
	cuda_sheet *free_ = nullptr;
};

} // namespace het::rt
