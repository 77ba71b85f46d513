// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Points are given to the nearest of some centres, which then move: all threads' sums meet in one.
#include "noc/record/programs/programs.h"
#include "noc/record/record.h"

#include <cmath>
#include <limits>

namespace noc::record
{

bool k_median(size_t points, unsigned threads)
{
	constexpr unsigned rounds = 3, centres = 16, dimensions = 8, width = dimensions + 2; // count, cost
	if (points < centres)
		return false;
	double *const at = array<double>(points * dimensions), *const centre = array<double>(centres * dimensions),
		      *const sums = array<double>(size_t(threads) * centres * width),
		      *const cost = array<double>(rounds);
	numbers random{8};
	for (size_t i = 0; i < points * dimensions; i++)
		at[i] = random.unit() + double(i / dimensions % centres);
	for (unsigned i = 0; i < centres * dimensions; i++)
		centre[i] = at[i];
	run(threads, [&](unsigned t) {
		const part mine = part_of(points, t, threads);
		double *const my_sums = sums + size_t(t) * centres * width;
		for (unsigned r = 0; r < rounds; r++) {
			for (unsigned i = 0; i < centres * width; i++)
				my_sums[i] = 0;
			for (size_t p = mine.begin; p < mine.end; p++) {
				double best = std::numeric_limits<double>::max();
				unsigned nearest = 0;
				for (unsigned c = 0; c < centres; c++) {
					double far = 0;
					for (unsigned d = 0; d < dimensions; d++)
						far += std::fabs(at[p * dimensions + d] - centre[c * dimensions + d]);
					if (far < best) {
						best = far;
						nearest = c;
					}
				}
				for (unsigned d = 0; d < dimensions; d++)
					my_sums[nearest * width + d] += at[p * dimensions + d];
				my_sums[nearest * width + dimensions]++;
				my_sums[nearest * width + dimensions + 1] += best;
			}
			barrier();
			// A centre belongs to one thread, and the cost to the first.
			for (unsigned c = t; c < centres; c += threads) {
				double count = 0, sum[dimensions] = {};
				for (unsigned other = 0; other < threads; other++) {
					const double *const s = sums + (size_t(other) * centres + c) * width;
					for (unsigned d = 0; d < dimensions; d++)
						sum[d] += s[d];
					count += s[dimensions];
				}
				for (unsigned d = 0; d < dimensions && count > 0; d++)
					centre[c * dimensions + d] = sum[d] / count;
			}
			for (size_t i = 0; t == 0 && i < size_t(threads) * centres; i++)
				cost[r] += sums[i * width + dimensions + 1];
			barrier();
		}
	});
	for (unsigned r = 1; r < rounds; r++)
		if (cost[r] > cost[r - 1] || cost[r] <= 0)
			return false;
	return true;
}

} // namespace noc::record
