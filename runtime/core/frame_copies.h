// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies between host memory that launches work on, opened on runtime::host_memory, and buffers of a device's that are
// no arrays'. They are collected, so that the driver gets many at once.
#pragma once

#include "core/ranges.h"
#include "core/runtime.h"
#include "evict/slices.h"

namespace het::rt
{

// Returns one of the uses that share the window. They lie in one array.
const range_use &use_of(const slice_plan &plan, std::span<const range_use> uses, unsigned window);

class frame_copies
{
      public:
	frame_copies(const het_device &d, bool home) : device_(d), home_(home) {}

	// These return 0, or HET_EDEVICE.
	int add(void *buffer, size_t offset, host_bytes place);
	// Adds bytes of the array of a use that has begun.
	int add(void *buffer, size_t offset, range bytes, const range_use &u);
	int flush();
	uint64_t bytes() const { return bytes_; }

      private:
	static constexpr size_t most = 64;

	const het_device &device_;
	const bool home_;
	het::transfer pieces_[most];
	size_t count_ = 0;
	uint64_t bytes_ = 0;
};

} // namespace het::rt
