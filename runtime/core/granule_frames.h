// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The memory on a device of a launch that works on host memory in place: frames for some granules (evict/granules.h),
// and the table by which its kernel finds all of them.
#pragma once

#include "core/ranges.h"
#include "core/runtime.h"
#include "dev/granule_table.h"
#include "evict/granules.h"
#include "evict/slices.h"

#include <memory>

namespace het::rt
{

class granule_frames
{
      public:
	granule_frames() = default;
	~granule_frames() { give_back(); }
	granule_frames(const granule_frames &) = delete;
	granule_frames &operator=(const granule_frames &) = delete;

	// Gets memory for the windows of the plan: as much as they need, but no more than @most bytes. It may wait for
	// other commands. Returns 0, HET_EDEVICE or HET_ENOMEM.
	int take(const slice_plan &plan, het_device &d, uint64_t most);
	void give_back();
	// Returns the bytes that it has.
	uint64_t nbytes() const { return reserved_; }
	// Returns the bytes of the smallest of use: with two frames for each window, as edges may have to be there.
	static uint64_t smallest(const slice_plan &plan, uint64_t most);

	// Decides which granules get frames. @uses have begun on the host's memory, and are prepared for copies.
	// Accesses take @widest bytes at most. Returns 0, HET_EDEVICE or HET_ENOMEM. @kernel is for messages.
	int place(const slice_plan &plan, std::span<const range_use> uses, unsigned widest, const char *kernel);
	// These copy what is read to the frames, with the table, and what is written home, with the counters. They
	// return 0, HET_EDEVICE or HET_ENOMEM.
	int send(const slice_plan &plan, std::span<const range_use> uses) { return copy(plan, uses, false); }
	int bring(const slice_plan &plan, std::span<const range_use> uses) { return copy(plan, uses, true); }

	const granule_table &table() const { return table_; }
	// Returns the kernel's address for a byte of a window.
	uint64_t address_of(unsigned window, uintptr_t byte) const { return map_.address_of(window, byte); }

      private:
	int make_map(const slice_plan &plan, std::span<const range_use> uses);
	void look_at(granule &g, const range_use &u, unsigned widest);
	void value(const slice_plan &plan);
	void fill_table();
	int fail_musts(const char *kernel) const;
	int copy(const slice_plan &plan, std::span<const range_use> uses, bool home);
	int copy_range(class frame_copies &all, range bytes, unsigned window, const range_use &u) const;
	int copy_table(class frame_copies &all, bool home);
	uint64_t granule_bytes() const { return uint64_t{1} << bits_; }

	het_device *device_ = nullptr;
	void *buffer_ = nullptr; // all frames, and behind them two words for each granule
	uint64_t reserved_ = 0;  // bytes
	unsigned bits_ = 0;
	size_t nframes_ = 0, most_granules_ = 0;
	granule_map map_;
	// Of each granule: where it can be used on the host, as its move, or 0; and then the table's words.
	std::unique_ptr<uint64_t[]> moves_, counts_;
	granule_table table_ = {};
};

} // namespace het::rt
