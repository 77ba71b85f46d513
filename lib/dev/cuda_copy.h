// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// One bulk copy of a CUDA device, over the carriers that it could borrow.
#pragma once

#include "dev/cuda_carrier.h"
#include "paths/splitter.h"

#include <span>

namespace het
{

// The bytes of a part lie together, at both ends.
struct cuda_part {
	cuda_place to, from;
};

// Who makes the copy lends carriers, and hears of what failed.
class port_lender
{
      public:
	virtual ~port_lender() = default;
	// Returns null for a path that nobody can take now.
	virtual cuda_carrier *borrow(unsigned path) = 0;
	// The one that was borrowed does not begin, if there is no @error. Returns who carries on the path instead, or
	// null.
	virtual cuda_carrier *instead(unsigned path, int error) = 0;
	// The owner of one that was borrowed does not need its link now.
	virtual bool is_free(unsigned path) = 0;
	// Nothing of the path is under way any more; it is not to be taken again.
	virtual void failed(unsigned path, int error) = 0;
	// A piece has arrived.
	virtual void arrived(unsigned path, size_t bytes) = 0;
};

// What a kernel has not begun for so long is taken back: it may not be for a while.
inline constexpr uint64_t beginning_ns = 200'000;

// Gives pieces to carriers until all have arrived, and waits. Returns a cu_result, that of the direct path: what
// another one fails to carry goes again. Nothing is under way after that.
int copy_over_paths(paths::splitter &s, std::span<const cuda_part> parts, std::span<const size_t> ends, unsigned direct,
		    port_lender &lender, uint64_t patience_ns = beginning_ns);

} // namespace het
