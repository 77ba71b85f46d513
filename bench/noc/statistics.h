// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The samples of one simulated run depend on each other: these tell where the warm-up ends, and intervals of means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace noc
{

// Returns how many samples at the front to leave out, so that the standard error of the mean of the rest is smallest
// (MSER, White 1997). It is at most half of them; a run in which half is not enough has not settled.
size_t mser(const std::vector<double> &samples);

struct estimate {
	double mean = 0, half_width = 0; // of the 95 % interval
	size_t n = 0;
};

// Takes samples that are independent, means of batches or of seeds, by Student's distribution.
estimate interval(const std::vector<double> &means);

// Takes samples in the order of a run, by means of @batches batches.
estimate batch_means(const std::vector<double> &samples, size_t batches);

// It counts latencies, for quantiles: exact below 1024 cycles, within 1/64 above.
class latency_counts
{
      public:
	latency_counts() : counts_(buckets) {}
	void add(uint64_t latency) { counts_[bucket(latency)]++, total_++; }
	void clear();
	// Returns the smallest latency that at least a share @q of all do not exceed.
	uint64_t quantile(double q) const;

      private:
	static constexpr unsigned exact = 1024, steps = 64, buckets = exact + steps * 24;
	static unsigned bucket(uint64_t latency);

	std::vector<uint64_t> counts_;
	uint64_t total_ = 0;
};

} // namespace noc
