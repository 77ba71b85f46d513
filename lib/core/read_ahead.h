// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decides how many chunks to fetch for a touch: one, and more and more for a reader that goes through the array in
// order. This is pure. Callers hold the array's lock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace het
{

class read_ahead
{
      public:
	// A touch missed at chunk @c. Returns the size of the window that starts there, 1 to @limit. With @expect a
	// stream may begin with what the one before it got to. That is not for writes: each chunk that is made the
	// host's own without need travels back to the device.
	uint32_t window(uint32_t c, uint32_t limit, bool expect = true)
	{
		limit = std::max<uint32_t>(limit, 1);
		if (c == next_) {
			window_ = std::min(window_ * 2, limit);
		} else {
			// A new stream starts. One that starts where the last one did is expected to get as far as that
			// one is known to have got; the last window of it may not have been used at all.
			window_ = expect && c == start_ ? std::clamp<uint32_t>(last_ - start_, 1, limit) : 1;
			start_ = c;
		}
		last_ = c;
		next_ = c + window_;
		return window_;
	}
	// Returns whether a miss at @c is one of a stream: window() gives 1 if not.
	bool expects(uint32_t c) const { return c == next_ || (c == start_ && last_ - start_ > 1); }
	// The window turned out smaller (end of the array, a chunk that needs no fetch), so the next miss is expected
	// at @c.
	void stopped_at(uint32_t c) { next_ = c; }

      private:
	uint32_t start_ = ~0u, last_ = ~0u; // first and last miss of the stream
	uint32_t next_ = ~0u;               // where it would go on
	uint32_t window_ = 1;
};

} // namespace het
