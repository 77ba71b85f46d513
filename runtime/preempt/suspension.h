// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decides when a launch that was stopped for more urgent ones goes on. It does when nothing more urgent has been under
// way for a moment. If it gets no longer stays in that way its patience ends at some time: it goes on all the same, and
// may not be stopped for a while; the next time it is less patient. So it gets a share of the device that grows with
// waiting, and comes to its end:
//   between two stays of at least `stay` it waits for no longer than its patience, which is `longest` and is halved
//   each time, down to `least`;
//   so from time to time on it gets at least stay / (stay + least) of the time, besides what it runs meanwhile.
#pragma once

#include <algorithm>
#include <cstdint>

namespace het::rt
{

struct patience {
	uint64_t longest_ns = 100'000'000, least_ns = 4'000'000, stay_ns = 2'000'000, moment_ns = 20'000;
};

class suspension
{
      public:
	explicit suspension(const patience &p) : p_(p), next_ns_(p.longest_ns) {}

	// The launch has been stopped.
	void begin(uint64_t now)
	{
		bool stayed = now - went_on_ >= p_.stay_ns;
		if (stayed && !protected_until_)
			next_ns_ = p_.longest_ns;
		if (stayed)
			waited_ns_ = 0;
		since_ = last_busy_ = now;
	}

	enum class answer : uint8_t { wait, go_on, go_on_protected };
	// @others says that something more urgent is under way. Once it does not say wait the launch is to go on.
	answer look(uint64_t now, bool others)
	{
		last_busy_ = others ? now : last_busy_;
		if (waited_ns_ + (now - since_) >= next_ns_) {
			next_ns_ = std::max(next_ns_ / 2, p_.least_ns);
			waited_ns_ = 0;
			protected_until_ = now + p_.stay_ns;
			went_on_ = now;
			return answer::go_on_protected;
		}
		if (others || now - last_busy_ < p_.moment_ns)
			return answer::wait;
		waited_ns_ += now - since_;
		protected_until_ = 0;
		went_on_ = now;
		return answer::go_on;
	}

	// Until then it may not be stopped; it is 0 if it may at any time.
	uint64_t protected_until() const { return protected_until_; }

      private:
	patience p_;
	uint64_t next_ns_, waited_ns_ = 0; // how long it waits, and has waited since its last stay
	uint64_t since_ = 0, last_busy_ = 0, went_on_ = 0, protected_until_ = 0;
};

} // namespace het::rt
