// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Says which bytes travel for launches that run mixed (evict/skew.h), slice by slice of the group. Their windows slide:
// a slice has all of its bytes at once, and of those it
//   carries   what the slice before had of them, read or written, from that one's window,
//   fetches   what some launch reads before one of the group has written it, and
//   leaves    what has been written and the next slice has no room for.
// So each byte comes once and goes once. What is fetched has been in no slice before, and what is left will be in none
// again: both may travel while other slices compute. A window that stays fetches with the first slice, and leaves with
// the last.
#pragma once

#include "evict/range_set.h"
#include "evict/skew.h"

namespace het::rt
{

class tile_moves
{
      public:
	// The plan has windows that slide, for the uses of these launches, shifted, one launch after the other. It is
	// false without memory.
	bool find(const slice_plan &plan, std::span<const mixed_launch> all);

	std::span<const range> carried(unsigned window, size_t slice) const { return of(window, slice, 0); }
	std::span<const range> fetched(unsigned window, size_t slice) const { return of(window, slice, 1); }
	std::span<const range> left(unsigned window, size_t slice) const { return of(window, slice, 2); }

      private:
	static constexpr size_t kinds = 3;

	std::span<const range> of(unsigned window, size_t slice, size_t kind) const;
	bool note(std::span<const range> runs);
	bool follow_what_stays(const slice_plan &plan, std::span<const mixed_launch> all, unsigned window);
	bool follow(const slice_plan &plan, std::span<const mixed_launch> all, unsigned window);
	bool look_at(const slice_plan &plan, std::span<const mixed_launch> all, unsigned window, size_t slice);
	bool read(range r);
	bool write(range r);

	size_t nslices_ = 0;
	std::unique_ptr<size_t[]> ends_; // of each window, slice and kind, in runs_
	size_t nends_ = 0;
	std::unique_ptr<range[]> runs_;
	size_t nruns_ = 0, room_ = 0;
	// These are of the slice that is looked at.
	range_set valid_, dirty_, fetched_, some_;
};

} // namespace het::rt
