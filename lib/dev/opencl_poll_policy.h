// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decides whether a wait polls before it sleeps. This is pure.
//
// Polling pays while the driver's thread has a core of its own, and delays that thread where it has not. So a poll in
// vain is followed by waits without one: 1, 3, 7 … longest_rest in a row, until one is not in vain.
#pragma once

#include <algorithm>

namespace het
{

class poll_policy
{
      public:
	static constexpr unsigned longest_rest = 63;

	// Is asked once for each wait.
	bool next_wait_polls()
	{
		if (!rest_)
			return true;
		rest_--;
		return false;
	}

	// Takes note of how a poll went.
	void polled(bool in_vain)
	{
		backoff_ = in_vain ? std::min(2 * backoff_ + 1, longest_rest) : 0;
		rest_ = backoff_;
	}

      private:
	unsigned rest_ = 0;
	unsigned backoff_ = 0;
};

} // namespace het
