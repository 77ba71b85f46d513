// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A = LU of a dense matrix: after each pivot row a barrier; rows go round among the threads.
#include "noc/record/programs/programs.h"
#include "noc/record/record.h"

#include <algorithm>
#include <cmath>

namespace noc::record
{

bool lu(size_t rows, unsigned threads)
{
	constexpr double tolerance = 1e-8;
	double *const a = array<double>(rows * rows), *const was = array<double>(rows * rows);
	numbers random{2};
	for (size_t i = 0; i < rows * rows; i++)
		a[i] = was[i] = random.unit() + (i % (rows + 1) == 0 ? double(rows) : 0);
	run(threads, [&](unsigned t) {
		for (size_t k = 0; k + 1 < rows; k++) {
			for (size_t i = k + 1; i < rows; i++) {
				if (i % threads != t)
					continue;
				const double factor = a[i * rows + k] / a[k * rows + k];
				a[i * rows + k] = factor;
				for (size_t j = k + 1; j < rows; j++)
					a[i * rows + j] -= factor * a[k * rows + j];
			}
			barrier();
		}
	});
	for (size_t i = 0; i < rows; i += 7)
		for (size_t j = 0; j < rows; j += 5) {
			double sum = i <= j ? a[i * rows + j] : 0; // the lower triangle has ones in the diagonal
			for (size_t k = 0; k < std::min(i, j + 1); k++)
				sum += a[i * rows + k] * a[k * rows + j];
			if (std::fabs(sum - was[i * rows + j]) > tolerance)
				return false;
		}
	return true;
}

} // namespace noc::record
