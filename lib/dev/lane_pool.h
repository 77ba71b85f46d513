// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lends the lanes above the resolvers' to threads that call the API.
//
// Borrowers wait while all lanes are lent. That ends: whoever has one is inside a device call that no touch can
// hold up. Resolvers have lanes of their own and never borrow.
#pragma once

#include <atomic>
#include <cstdint>

namespace het
{

class lane_pool
{
      public:
	static constexpr unsigned max_lanes = 32;

	// Lends lanes @first … @first + @count - 1; @count is 1 to max_lanes.
	lane_pool(unsigned first, unsigned count)
	    : first_(first), free_(count < max_lanes ? (uint32_t{1} << count) - 1 : ~uint32_t{0})
	{
	}

	// Returns the lowest free lane, so that few are in use and those are warm.
	unsigned borrow();
	void give_back(unsigned lane);

      private:
	const unsigned first_;
	std::atomic<uint32_t> free_; // bit n stands for lane first_ + n
	std::atomic<uint32_t> waiters_{0};
};

} // namespace het
