// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The granules of the windows of a launch in place (evict/granules.h), and which of their frames are copies of what
// host memory has.
//
// Frames are copies of what has a place in the buffer of runtime::host_memory, where each launch that has them opens
// its uses. The protocol makes a byte there valid by a write to that buffer, which is told to forget(), or because a
// launch that has it open writes it, which tells that, too. So a frame is as the host has it, whatever the host or
// another device has done meanwhile, until it is forgotten.
#pragma once

#include "core/granule_marks.h"
#include "core/ranges.h"
#include "core/runtime.h"
#include "evict/granules.h"
#include "evict/slices.h"

#include <memory>

namespace het::rt
{

class granule_copies
{
      public:
	// Maps the windows, of which there are no more than so many granules. If they were the same before, frames
	// stay; otherwise *is_new. The uses have begun on the host's memory. Returns 0 or HET_ENOMEM.
	int map_windows(const slice_plan &plan, std::span<const range_use> uses, unsigned bits, size_t most_granules,
			bool *is_new);
	granule_map &map() { return map_; }
	const granule_map &map() const { return map_; }

	// These bytes of a buffer of runtime::host_memory change, or have changed: frames are no copies of them any
	// longer. Any thread may call it at any time.
	void forget(range in_buffer);
	void forget_all();
	bool is_copy(size_t granule);

	// Frames are given anew, and will be filled with what the launch uses. Returns 0 or HET_ENOMEM.
	int note_frames(const slice_plan &plan, std::span<const range_use> uses);
	// The granule's frame was no copy then, so it has to be filled.
	bool comes(size_t granule) const { return comes_[granule]; }

	// An inspector has found of which granules addresses are made.
	void note_sources(const granule_marks &marks, const slice_plan &plan);
	// Such a one has changed since it was found, or asked for. What the launch writes itself has.
	bool take_source_change();

      private:
	// A window, and where its first byte is in the buffer of runtime::host_memory.
	struct known_window {
		range bytes;
		uintptr_t in_host_memory;
		size_t in_array;
		bool operator==(const known_window &) const = default;
	};

	futex_lock lock_; // has rank leaf, and guards all but comes_; map_'s frames are those of who maps alone
	granule_map map_;
	std::unique_ptr<known_window[]> windows_;
	size_t nwindows_ = 0;
	// Of each granule: its frame has what host memory has, or will have it unless filling it fails.
	std::unique_ptr<bool[]> is_copy_;
	std::unique_ptr<bool[]> is_source_; // of each granule
	bool is_source_changed_ = false;
	std::unique_ptr<bool[]> comes_; // of each granule
};

} // namespace het::rt
