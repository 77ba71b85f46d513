// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The memory on a device of a launch that works on host memory in place: frames for some granules (evict/granules.h),
// and the table by which its kernel finds all of them.
//
// When the launch is over the frames stay until others want their memory (core/kept_frames.h), and so does what they
// are copies of (core/granule_copies.h), and the counts of its accesses: the next launch of the same kernel with the
// same arguments has frames for what is used most (core/granule_history.h).
//
// If nothing is known of the launch it may be inspected first (core/granule_marks.h): then place() gives frames only to
// what must be there, and to what was there, and look_at_marks() places all anew.
#pragma once

#include "core/granule_copies.h"
#include "core/granule_history.h"
#include "core/granule_marks.h"
#include "core/ranges.h"
#include "core/runtime.h"
#include "dev/granule_table.h"
#include "evict/slices.h"
#include "evict/traffic.h"

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

	// What a launch in place is told apart by: the kernel, as a number, and its uses, which are copied.
	struct launch {
		const slice_plan &plan;
		std::span<const range_use> uses;
		uint64_t kernel;
		const char *name;
		unsigned widest; // accesses take so many bytes at most
		uint64_t ngroups;
		bool may_be_inspected; // there is a kernel for it
	};

	// Gets memory for the windows of the plan: as much as they need, but no more than @most bytes; or has it still,
	// from a launch before. It may wait for other commands. Returns 0, HET_EDEVICE or HET_ENOMEM.
	int take(const launch &l, het_device &d, uint64_t most);
	// The launch is over: what is in frames, and what was learnt, is kept for the next one. With @ok false it is of
	// no use.
	void keep(bool ok);
	void give_back();
	// Returns the bytes that it has.
	uint64_t nbytes() const { return reserved_; }
	// Returns the bytes of the smallest of use: with two frames for each window, as edges may have to be there.
	static uint64_t smallest(const slice_plan &plan, uint64_t most);

	// Decides which granules get frames. The uses have begun on the host's memory, and are prepared for copies.
	// Returns 0, HET_EDEVICE or HET_ENOMEM.
	int place(const launch &l);
	// These copy what is read and not there to the frames, with the table, and what is written home, with the
	// counters, after a kernel that took so long. They return 0, HET_EDEVICE or HET_ENOMEM.
	int send(const launch &l);
	int bring(const launch &l, uint64_t kernel_ns);
	// Returns what has travelled for the launch that was placed last.
	const traffic &travelled() const { return travelled_; }

	// After place(): an inspector is to run before the launch, with what send() sends.
	bool is_inspected_first() const { return is_inspected_first_; }
	// It has run. Returns 0, HET_EDEVICE or HET_ENOMEM.
	int look_at_marks(const launch &l);

	const granule_table &table() const { return table_; }
	const inspection_table &inspection() const { return inspection_; }
	// Returns the kernel's address for a byte of a window.
	uint64_t address_of(unsigned window, uintptr_t byte) const { return copies_.map().address_of(window, byte); }

	// As granule_copies has it. Any thread may call it at any time.
	void forget(range in_buffer) { copies_.forget(in_buffer); }

      private:
	bool wants_inspection();
	int choose(const launch &l);
	int prepare_marks(const launch &l);
	int copy_marks(bool home);
	uint64_t marks_at() const { return (uint64_t{nframes_} << bits_) + 2 * sizeof(uint64_t) * most_granules_; }
	void count_as(memory_kind k);
	void forget_all();
	int make_map(const launch &l);
	void look_at(granule &g, const launch &l);
	void value(granule &g, const launch &l);
	void fill_table();
	int fail_musts(const char *kernel) const;
	int copy(const launch &l, bool home, uint64_t *nbytes);
	int copy_range(class frame_copies &all, range bytes, unsigned window, const range_use &u, bool home);
	int copy_table(class frame_copies &all, bool home);
	uint64_t granule_bytes() const { return uint64_t{1} << bits_; }
	size_t number_of(const granule &g) const { return size_t(&g - copies_.map().all().data()); }

	het_device *device_ = nullptr;
	void *buffer_ = nullptr; // all frames, behind them two words for each granule, and the marks if there is room
	bool has_marks_ = false;
	uint64_t reserved_ = 0; // bytes
	memory_kind counted_as_ = memory_kind::windows;
	unsigned bits_ = 0;
	size_t nframes_ = 0, most_granules_ = 0;
	granule_copies copies_;
	// Of each granule: where it can be used on the host, as its move, or 0; and then the table's words.
	std::unique_ptr<uint64_t[]> moves_, counts_;
	granule_table table_ = {};
	uint32_t one_of_ = 1; // warps counts

	granule_history history_;
	traffic travelled_;

	granule_marks marks_;
	inspection_table inspection_ = {};
	bool is_inspected_first_ = false;
};

} // namespace het::rt
