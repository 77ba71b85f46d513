// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace noc
{

namespace
{

// Two-sided 95 % of Student's distribution, for 1, 2, … degrees of freedom.
double student(size_t degrees)
{
	static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
				   2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
				   2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
	return degrees <= std::size(t) ? t[degrees - 1] : 1.96 + 2.4 / double(degrees);
}

} // namespace

size_t mser(const std::vector<double> &samples)
{
	const size_t n = samples.size();
	double sum = 0, squares = 0, best = std::numeric_limits<double>::infinity();
	size_t at = 0;
	for (size_t i = n; i-- > 0;) {
		sum += samples[i];
		squares += samples[i] * samples[i];
		const double left = double(n - i);
		const double error = std::max(0.0, squares - sum * sum / left) / (left * left);
		if (i <= n / 2 && error <= best) {
			best = error;
			at = i;
		}
	}
	return at;
}

estimate interval(const std::vector<double> &means)
{
	estimate e;
	e.n = means.size();
	if (means.empty())
		return e;
	for (double m : means)
		e.mean += m / double(e.n);
	if (e.n < 2) {
		e.half_width = std::numeric_limits<double>::infinity();
		return e;
	}
	double squares = 0;
	for (double m : means)
		squares += (m - e.mean) * (m - e.mean);
	e.half_width = student(e.n - 1) * std::sqrt(squares / double(e.n - 1) / double(e.n));
	return e;
}

estimate batch_means(const std::vector<double> &samples, size_t batches)
{
	std::vector<double> means;
	const size_t each = samples.size() / batches;
	for (size_t b = 0; each > 0 && b < batches; b++) {
		double sum = 0;
		for (size_t i = b * each; i < (b + 1) * each; i++)
			sum += samples[i];
		means.push_back(sum / double(each));
	}
	return interval(means);
}

unsigned latency_counts::bucket(uint64_t latency)
{
	if (latency < exact)
		return unsigned(latency);
	const unsigned octave = unsigned(std::bit_width(latency)) - 11; // 0 for 1024 to 2047
	const unsigned step = unsigned(latency >> (octave + 4)) - steps;
	return std::min(exact + octave * steps + step, buckets - 1);
}

uint64_t latency_counts::quantile(double q) const
{
	const auto wanted = uint64_t(std::ceil(q * double(total_)));
	uint64_t seen = 0;
	for (unsigned b = 0; b < buckets; b++) {
		seen += counts_[b];
		if (seen >= wanted && seen > 0) {
			if (b < exact)
				return b;
			const unsigned octave = (b - exact) / steps, step = (b - exact) % steps;
			return uint64_t(steps + step + 1) << (octave + 4);
		}
	}
	return 0;
}

void latency_counts::clear()
{
	std::fill(counts_.begin(), counts_.end(), 0);
	total_ = 0;
}

} // namespace noc
