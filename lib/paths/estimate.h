// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is known of a path from the pieces that it carried last: how long it takes until bytes come, how many a
// nanosecond come then, and how far that is to be trusted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace het::paths
{

class estimate
{
      public:
	// A piece has arrived @ns after it was given to a path on which nothing of this copy was under way.
	void saw_first(size_t bytes, uint64_t ns);
	// A piece has arrived @ns after the one before it.
	void saw_next(size_t bytes, uint64_t ns);

	bool known() const { return rate_ > 0; }
	// Returns bytes a nanosecond.
	double rate() const { return rate_; }
	// Returns the best rate that was seen, which is forgotten slowly.
	double best_rate() const { return best_rate_; }
	// Returns the time in which a piece that is alone arrives, with what it may take longer: twice the mean
	// deviation.
	double ns_for(size_t bytes) const { return (start_ + double(bytes) / rate_) * (1 + 2 * noise_); }
	double start() const { return start_ * (1 + 2 * noise_); }
	// Returns the deviation of a piece's time from what was expected, as a share of that.
	double noise() const { return noise_; }
	// The path was much better once: somebody else uses it.
	bool is_congested() const { return known() && rate_ < best_rate_ / congested; }

      private:
	static constexpr double congested = 4;

	void note_error(double expected, double ns);
	void learn_rate(double rate);

	double start_ = 0;       // ns
	double least_start_ = 0; // seen lately, when the rate was known already; 0: never
	double rate_ = 0, best_rate_ = 0;
	double noise_ = 0;
};

} // namespace het::paths
