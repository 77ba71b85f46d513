// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The bytes that a launch in slices uses become its own part by part, each before the first slice that has it in its
// windows: what the host has of them is taken from it, and what only other devices have comes home. So the first slice
// does not wait for the pages of all arrays, and the rest is done beside kernels and copies.
//
// To the host the launch is one step all the same. What it writes stays taken until it is over, and no slice looks at
// what is not: so it is as if all of it had happened when the last part was taken (begin_part() in memory/kernel.h).
// What it only reads the host may write meanwhile, which is a race of the program's.
//
// The fetcher takes what its next slice needs, and the evictor what comes later, while it has nothing else to do. One
// of them does so at a time.
#pragma once

#include "core/ranges.h"
#include "core/sliced_plan.h"

#include <atomic>
#include <memory>

namespace het::rt
{

class slice_parts
{
      public:
	// All uses of the launch have begun by parts, or none. It is false without memory.
	bool open(size_t nuses, bool by_parts, size_t nslices);
	// So many slices have all their bytes, the first ones. Without open() that is none.
	size_t taken() const { return taken_.load(); }
	// Somebody may take what the next slice uses.
	bool is_next_free() const { return taken_.load() < nslices_ && !is_taking_.load(); }
	// Takes that, of @uses, which are those of all slices. It is false if there is none, or somebody else does.
	// Otherwise *err is 0 or a code.
	bool take_next(std::span<range_use> uses, const sliced_plan &of, int *err);

      private:
	int take(range_use &u, range &had, range wanted) const;
	int take_slice(std::span<range_use> uses, const sliced_plan &of, size_t slice);

	// This, and what has been taken of each use, is for whoever has set is_taking_.
	std::unique_ptr<range[]> had_;
	size_t nslices_ = 0;
	std::atomic<size_t> taken_{0};
	std::atomic<bool> is_taking_{false};
};

} // namespace het::rt
