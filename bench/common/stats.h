// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Computes statistics of timings: medians and quantiles, and ratios of variants that were measured in interleaved
// rounds.
#pragma once

#include <cstddef>
#include <vector>

namespace bench
{

// Holds samples of one quantity, in the order in which they were taken.
using series = std::vector<double>;

struct summary {
	size_t n = 0;
	double min = 0, p25 = 0, median = 0, p75 = 0, p99 = 0, max = 0;
};

summary summarise(std::vector<double> samples);

double median(std::vector<double> samples);

// Returns the mean of the middle half, for samples in two heaps, whose median says little.
double midmean(std::vector<double> samples);

// This is a ratio a/b, a difference a - b, or a quantity, with a confidence interval of its median.
struct ratio {
	size_t rounds = 0;
	double median = 0, low = 0, high = 0;
	double confidence = 0; // that of [low, high], which is the widest possible interval where 95 % is out of reach
};

// Returns the median of samples with its interval, which comes from order statistics, so it assumes nothing about the
// distribution.
ratio median_interval(const std::vector<double> &samples);

// Returns the median of a[i] / b[i]. Round i measured both variants, one just after the other, so what disturbs the
// machine for longer than a round cancels out.
ratio paired_ratio(const std::vector<double> &a, const std::vector<double> &b);
// Does the same with a[i] - b[i].
ratio paired_difference(const std::vector<double> &a, const std::vector<double> &b);

} // namespace bench
