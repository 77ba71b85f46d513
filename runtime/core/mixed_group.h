// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches in slices that are queued one behind the other run mixed: all of their slices in one order (evict/skew.h),
// in windows that slide (evict/tile_moves.h), so that each byte travels once for all of them.
//
// When the fetcher begins a launch, and before that has any memory or anything open, it takes in those that the graph
// has behind it: that wait for nothing else, for the same device, with the same urgency, and whose sets are known by
// rows. From then on they have begun, and are under way with the first one, which does all: it opens what any of them
// uses, and to the host and to other commands they are one launch. They end when it has ended, in their order, as those
// that went behind others on a stream do; if it fails all fail.
//
// They wait for nobody but for launches of the group, so to take them in keeps nobody from getting on. If the memory
// turns out to be too little for the group it falls apart, and they wait in the graph as before.
#pragma once

#include "core/row_launch.h"
#include "core/runtime.h"
#include "evict/tile_moves.h"

#include <memory>
#include <span>

namespace het::rt
{

class mixed_group
{
      public:
	// Takes in launches behind the first one, after it has waited a little for more to be queued. It is null if
	// there are none that may run mixed with it, or no memory.
	static std::unique_ptr<mixed_group> gather(row_launch &first);
	// They begin in some other way, if they have not been ended.
	~mixed_group();
	mixed_group(const mixed_group &) = delete;
	mixed_group &operator=(const mixed_group &) = delete;

	size_t size() const { return n_; }
	row_launch &launch(size_t number) const { return *launches_[number]; }
	// Returns the number of the launch's first use among those of all.
	size_t first_use(size_t number) const { return first_use_[number]; }
	row_span rows(size_t number, row_span of_group) const { return rows_of(mixed_[number], of_group); }

	// Plans slices for so many bytes. It is false if they are too few, or there is no memory.
	bool plan(slice_plan &p, uint64_t nbytes);
	const tile_moves &moves() const { return moves_; }
	// What is opened for all of them.
	std::span<range_use> uses() { return {open_.get(), nopen_}; }
	// Returns the window that has what is opened, by its number.
	unsigned window_of_open(const slice_plan &p, size_t open) const;
	// Some of that was on a device alone that has been lost.
	bool has_lost() const;
	const range_use &use_of_window(const slice_plan &p, unsigned window) const;

	// The caller is about to end its launches, the first one first: they will not wait in the graph again.
	void is_over() { ntaken_ = 0; }

      private:
	static constexpr size_t most = 64;

	mixed_group() = default;
	void find(row_launch &first);
	size_t look_behind(row_launch &first);
	bool wants(node &n, row_launch &first);
	bool find_shifts();
	bool shift_uses();
	bool find_open();
	size_t open_use(range_use u);
	bool take_in();
	void leave_but(size_t n);

	// The first one keeps the group. A launch that has been found is kept by its reference.
	row_launch *launches_[most] = {};
	mixed_launch mixed_[most];
	size_t first_use_[most] = {};
	size_t n_ = 0;
	size_t ntaken_ = 0; // of them have begun, but for the first one
	std::unique_ptr<row_use[]> row_uses_;
	std::unique_ptr<size_t[]> open_of_use_;
	size_t nuses_ = 0, nrows_ = 0;
	std::unique_ptr<range_use[]> open_;
	size_t nopen_ = 0;
	tile_moves moves_;
};

} // namespace het::rt
