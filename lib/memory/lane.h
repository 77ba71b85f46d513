// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The lane (a device queue of the library's own) for the length of one device call. Resolvers have one each; callers of
// the API borrow one here, with no lock held but the structure lock: whoever has a lane waits for nothing but its
// device.
#pragma once

#include "dev/lane_pool.h"

namespace het
{

// Given instead of the number of a lane, it says: borrow one.
inline constexpr unsigned any_lane = ~0u;

inline constexpr unsigned caller_lanes = 8;

class lane_lease
{
      public:
	// From @lanes, the callers'.
	explicit lane_lease(lane_pool &lanes, unsigned own = any_lane);
	~lane_lease();
	lane_lease(const lane_lease &) = delete;
	lane_lease &operator=(const lane_lease &) = delete;

	operator unsigned() const { return lane_; }

      private:
	lane_pool *const lender_; // null: none
	const unsigned lane_;
};

} // namespace het
