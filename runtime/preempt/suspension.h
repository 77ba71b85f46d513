// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decides when a launch that was stopped for more urgent ones goes on. It does when nothing more urgent is under way.
// Otherwise its patience ends at some time, and it goes on all the same and may not be stopped for a while; the next
// time it is less patient. So it gets a share of the device that grows with waiting, and comes to its end:
//   the n-th time in a row it waits max(longest / 2^n, least), then stays for `stay`;
//   from time to time on it gets at least stay / (stay + least) of the time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace het::rt
{

struct patience {
	uint64_t longest_ns = 100'000'000, least_ns = 4'000'000, stay_ns = 2'000'000;
};

class suspension
{
      public:
	explicit suspension(const patience &p) : p_(p), next_ns_(p.longest_ns) {}

	// The launch has been stopped.
	void begin(uint64_t now) { since_ = now; }

	enum class answer : uint8_t { wait, go_on, go_on_protected };
	// @others says that something more urgent is under way. Once it does not say wait the launch is to go on.
	answer look(uint64_t now, bool others)
	{
		if (!others) {
			next_ns_ = p_.longest_ns;
			protected_until_ = 0;
			return answer::go_on;
		}
		if (now - since_ < next_ns_)
			return answer::wait;
		next_ns_ = std::max(next_ns_ / 2, p_.least_ns);
		protected_until_ = now + p_.stay_ns;
		return answer::go_on_protected;
	}

	// Until then it may not be stopped; it is 0 if it may at any time.
	uint64_t protected_until() const { return protected_until_; }

      private:
	patience p_;
	uint64_t next_ns_, since_ = 0, protected_until_ = 0;
};

} // namespace het::rt
