// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// How many chunks to fetch for a touch: one, and more and more for a reader that goes through the array in order.
// Pure. Callers hold the array's lock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace het
{

class read_ahead
{
      public:
	// A touch missed at chunk @c. Returns the size of the window that starts there, 1 to @limit.
	uint32_t window(uint32_t c, uint32_t limit)
	{
		window_ = c == next_ ? std::min(window_ * 2, std::max<uint32_t>(limit, 1)) : 1;
		next_ = c + window_;
		return window_;
	}
	// The window turned out smaller (end of the array, a chunk that needs no fetch): expect the next miss at @c.
	void stopped_at(uint32_t c) { next_ = c; }

      private:
	uint32_t next_ = ~0u;
	uint32_t window_ = 1;
};

} // namespace het
