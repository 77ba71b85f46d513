// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The memory on a device in which a launch runs as slices: the buffers of its windows (evict/slices.h), and the copies
// between those and the host's memory.
#pragma once

#include "core/ranges.h"
#include "core/runtime.h"
#include "evict/slices.h"
#include "evict/traffic.h"

#include <memory>

namespace het::rt
{

// What a launch leaves on the device for others.
enum class keeping : uint8_t {
	nothing,
	copies,
	written, // and what it has written there alone
};

class slice_frames
{
      public:
	slice_frames() = default;
	~slice_frames() { give_back(); }
	slice_frames(const slice_frames &) = delete;
	slice_frames &operator=(const slice_frames &) = delete;

	// Gets all buffers of the plan, or none. It may wait for other commands. Returns 0, HET_EDEVICE or HET_ENOMEM.
	int take(const slice_plan &plan, het_device &d);
	void give_back();

	// Returns where a slice has the window.
	void *buffer(const slice_plan &plan, unsigned window, size_t slice) const;

	// A copy of these bytes of a window. @use is one of those that share it, and has begun on the host's memory.
	struct job {
		const slice_plan &plan;
		const range_use &use;
		unsigned window;
		size_t slice; // whose buffer it is
		std::span<const range> ranges;
	};
	// They return 0, or HET_EDEVICE. What has travelled is kept for other launches, if that is wanted; what is kept
	// does not travel there, and what can be left does not travel home.
	int send(const job &j, keeping how);
	int bring(const job &j, keeping how);
	// Copies the bytes from the slice before, on the device. Returns as these do.
	int carry(const job &j);
	// Returns what has travelled. Nobody sends or brings any longer.
	const traffic &travelled() const { return travelled_; }

      private:
	int take_buffers(const slice_plan &plan);
	int carry_by_host(const job &j, range r);

	het_device *device_ = nullptr;
	std::unique_ptr<void *[]> buffers_;
	size_t nbuffers_ = 0;   // that are there
	uint64_t reserved_ = 0; // bytes
	// Who sends counts what is sent and reused, who brings the rest: they may be two threads.
	traffic travelled_;
};

} // namespace het::rt
