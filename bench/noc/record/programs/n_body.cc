// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bodies attract each other: everybody reads all positions, which their owners have just written.
#include "noc/record/programs/programs.h"
#include "noc/record/record.h"

#include <cmath>

namespace noc::record
{

bool n_body(size_t bodies, unsigned threads)
{
	constexpr unsigned steps = 2;
	constexpr double step = 1e-3, soft = 1e-2, tolerance = 1e-9;
	struct body {
		double at[3], mass;
	};
	body *const all = array<body>(bodies);
	double *const speed = array<double>(3 * bodies);
	numbers random{6};
	for (size_t i = 0; i < bodies; i++)
		all[i] = {{random.unit(), random.unit(), random.unit()}, 0.5 + random.unit()};
	run(threads, [&](unsigned t) {
		const part mine = part_of(bodies, t, threads);
		for (unsigned s = 0; s < steps; s++) {
			for (size_t i = mine.begin; i < mine.end; i++) {
				double pull[3] = {};
				for (size_t j = 0; j < bodies; j++) {
					double away[3], square = soft;
					for (unsigned d = 0; d < 3; d++) {
						away[d] = all[j].at[d] - all[i].at[d];
						square += away[d] * away[d];
					}
					for (unsigned d = 0; d < 3; d++)
						pull[d] += all[j].mass * away[d] / (square * std::sqrt(square));
				}
				for (unsigned d = 0; d < 3; d++)
					speed[3 * i + d] += step * pull[d];
			}
			barrier();
			for (size_t i = mine.begin; i < mine.end; i++)
				for (unsigned d = 0; d < 3; d++)
					all[i].at[d] += step * speed[3 * i + d];
			barrier();
		}
	});
	// Momentum is kept.
	double sum = 0, size = 0;
	for (size_t i = 0; i < 3 * bodies; i++) {
		sum += all[i / 3].mass * speed[i];
		size += std::fabs(all[i / 3].mass * speed[i]);
	}
	return size > 0 && std::fabs(sum) < tolerance * size;
}

} // namespace noc::record
