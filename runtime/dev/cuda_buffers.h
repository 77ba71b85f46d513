// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Allocates device memory, and counts references to it. A buffer is its address on the device, so the counts lie
// beside.
#pragma once

#include "dev/cuda_calls.h"
#include "os/lock.h"

namespace het::rt
{

class cuda_buffers
{
      public:
	explicit cuda_buffers(const cuda_calls &cu) : cu_(cu) {}

	// Allocates a buffer with one reference. Returns 0 or a code of the driver's. The device's context is current.
	int allocate(size_t nbytes, void **buffer);
	void retain(void *buffer);
	void release(void *buffer, cu_context context);

      private:
	struct count {
		void *buffer;
		uint32_t references;
		count *next;
	};
	static constexpr size_t most_lists = 256;

	// Returns the link to the buffer's count. The caller holds the lock.
	count **find(void *buffer);

	const cuda_calls &cu_;
	futex_lock lock_; // rank leaf
	count *lists_[most_lists] = {};
};

} // namespace het::rt
