// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Prices of options: each thread has its own, and nothing is shared.
#include "noc/record/programs/programs.h"
#include "noc/record/record.h"

#include <cmath>

namespace noc::record
{

namespace
{

double normal(double x)
{
	return std::erfc(-x / std::sqrt(2.0)) / 2;
}

} // namespace

bool black_scholes(size_t options, unsigned threads)
{
	constexpr double rate = 0.05, tolerance = 1e-9;
	double *const price = array<double>(options), *const strike = array<double>(options),
		      *const years = array<double>(options), *const spread = array<double>(options),
		      *const call = array<double>(options), *const put = array<double>(options);
	numbers random{1};
	for (size_t i = 0; i < options; i++) {
		price[i] = 10 + 90 * random.unit();
		strike[i] = 10 + 90 * random.unit();
		years[i] = 0.1 + 2 * random.unit();
		spread[i] = 0.1 + random.unit() / 2;
	}
	run(threads, [&](unsigned t) {
		const part mine = part_of(options, t, threads);
		for (size_t i = mine.begin; i < mine.end; i++) {
			const double width = spread[i] * std::sqrt(years[i]);
			const double up = (std::log(price[i] / strike[i]) + rate * years[i]) / width + width / 2;
			const double due = strike[i] * std::exp(-rate * years[i]);
			call[i] = price[i] * normal(up) - due * normal(up - width);
			put[i] = due * normal(width - up) - price[i] * normal(-up);
		}
	});
	for (size_t i = 0; i < options; i++)
		if (std::fabs(call[i] - put[i] - (price[i] - strike[i] * std::exp(-rate * years[i]))) > tolerance)
			return false;
	return true;
}

} // namespace noc::record
