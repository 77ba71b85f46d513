// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/stats.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bench
{

namespace
{

// Interpolates linearly between the two nearest samples.
double quantile(const std::vector<double> &sorted, double q)
{
	if (sorted.empty())
		return 0;
	double at = q * double(sorted.size() - 1);
	size_t below = size_t(at);
	size_t above = std::min(below + 1, sorted.size() - 1);
	return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

// Returns P(X <= k) for X binomial(n, 1/2).
double binomial_half(size_t n, size_t k)
{
	double sum = 0;
	for (size_t i = 0; i <= k; ++i)
		sum += std::exp(std::lgamma(double(n) + 1) - std::lgamma(double(i) + 1) -
				std::lgamma(double(n - i) + 1) - double(n) * std::log(2.0));
	return sum;
}

// Returns the median with its interval from order statistics.
ratio with_interval(std::vector<double> values)
{
	std::sort(values.begin(), values.end());
	ratio r;
	r.rounds = values.size();
	if (values.empty())
		return r;
	size_t cut = 0;
	while (2 * (cut + 1) < values.size() && binomial_half(values.size(), cut + 1) <= 0.025)
		++cut;
	r.median = quantile(values, 0.5);
	r.low = values[cut];
	r.high = values[values.size() - 1 - cut];
	r.confidence = std::max(0.0, 1 - 2 * binomial_half(values.size(), cut));
	return r;
}

} // namespace

summary summarise(std::vector<double> samples)
{
	std::sort(samples.begin(), samples.end());
	summary s;
	s.n = samples.size();
	s.min = quantile(samples, 0);
	s.p25 = quantile(samples, 0.25);
	s.median = quantile(samples, 0.5);
	s.p75 = quantile(samples, 0.75);
	s.p99 = quantile(samples, 0.99);
	s.max = quantile(samples, 1);
	return s;
}

double median(std::vector<double> samples)
{
	std::sort(samples.begin(), samples.end());
	return quantile(samples, 0.5);
}

double midmean(std::vector<double> samples)
{
	std::sort(samples.begin(), samples.end());
	const size_t cut = samples.size() / 4;
	double sum = 0;
	for (size_t i = cut; i < samples.size() - cut; ++i)
		sum += samples[i];
	return samples.empty() ? 0 : sum / double(samples.size() - 2 * cut);
}

ratio median_interval(const std::vector<double> &samples)
{
	return with_interval(samples);
}

ratio paired_ratio(const std::vector<double> &a, const std::vector<double> &b)
{
	std::vector<double> ratios;
	for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
		if (b[i] > 0)
			ratios.push_back(a[i] / b[i]);
	return with_interval(std::move(ratios));
}

ratio paired_difference(const std::vector<double> &a, const std::vector<double> &b)
{
	std::vector<double> differences;
	for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
		differences.push_back(a[i] - b[i]);
	return with_interval(std::move(differences));
}

} // namespace bench
