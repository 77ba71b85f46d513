// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds items of a checkpoint by their bytes; items may overlap.
#pragma once

#include "core/range.h"

#include <algorithm>
#include <memory>
#include <new>

namespace het::rt
{

class item_ranges
{
      public:
	static constexpr size_t none = SIZE_MAX;

	// @bytes_of(i) returns the bytes of item @i. It is false if there is no memory.
	template <class F> bool fill(size_t n, F bytes_of)
	{
		sorted_.reset(new (std::nothrow) entry[n]);
		n_ = sorted_ ? n : 0;
		for (size_t i = 0; i < n_; i++)
			sorted_[i] = {bytes_of(i), 0, i};
		std::sort(sorted_.get(), sorted_.get() + n_,
			  [](const entry &a, const entry &b) { return a.bytes.begin < b.bytes.begin; });
		for (size_t i = 0; i < n_; i++)
			sorted_[i].furthest = std::max(sorted_[i].bytes.end, i ? sorted_[i - 1].furthest : 0);
		return sorted_ != nullptr;
	}
	// Returns the number of an item that has bytes of @r, or none.
	size_t find_overlap(range r) const
	{
		return find(r, [&](range item) { return item.overlaps(r); });
	}
	// Returns the number of one that has all of them.
	size_t find_cover(range r) const
	{
		return find(r, [&](range item) { return item.covers(r); });
	}

      private:
	struct entry {
		range bytes;
		uintptr_t furthest; // end of those up to this one
		size_t number;
	};

	template <class F> size_t find(range r, F is_wanted) const
	{
		const entry *first = sorted_.get();
		const entry *e =
			std::partition_point(first, first + n_, [&](const entry &i) { return i.bytes.begin < r.end; });
		while (e != first && (--e)->furthest > r.begin) {
			if (is_wanted(e->bytes))
				return e->number;
		}
		return none;
	}

	std::unique_ptr<entry[]> sorted_;
	size_t n_ = 0;
};

} // namespace het::rt
