// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The matrix, the vectors and the kernel of matvec are here, and the host's own result.
#pragma once

#include "common/device.h"

#include <vector>

namespace bench
{

// x stays bounded and keeps its memory: A is 0.999 times a cyclic shift plus a little of everything, and b sums
// to nothing. So an iteration that is lost, or sees old data, shows in the result.
struct matvec_problem {
	explicit matvec_problem(size_t n);
	size_t n;
	std::vector<float> A, b, x0;
};

// Starts y = A x + b on a device, with the faster of two kernels if it is @tuned.
void launch_matvec(device &d, bool tuned, void *A, void *x, void *b, void *y, size_t n);

// Does the same iterations on the host alone.
std::vector<float> matvec_on_host(const matvec_problem &p, unsigned iterations);

// Returns the largest difference, relative to the largest element of the reference.
double relative_error(const float *x, const std::vector<float> &reference);

} // namespace bench
