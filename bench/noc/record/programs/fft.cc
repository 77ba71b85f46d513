// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A Fourier transform in passes between two arrays (Stockham); a barrier after each, and far strides.
#include "noc/record/programs/programs.h"
#include "noc/record/record.h"

#include <cmath>
#include <complex>
#include <utility>

namespace noc::record
{

namespace
{

constexpr double two_pi = 6.283185307179586;

} // namespace

bool fft(size_t points, unsigned threads)
{
	if (points < 2 || (points & (points - 1)) != 0)
		return false;
	constexpr double tolerance = 1e-6;
	using number = std::complex<double>;
	number *const first = array<number>(points), *const second = array<number>(points),
		      *const was = array<number>(points), *const roots = array<number>(points / 2);
	numbers random{3};
	for (size_t i = 0; i < points; i++)
		first[i] = was[i] = {random.unit() - 0.5, random.unit() - 0.5};
	for (size_t i = 0; i < points / 2; i++)
		roots[i] = std::polar(1.0, -two_pi * double(i) / double(points));
	number *result = first;
	for (size_t stride = 1; stride < points; stride *= 2)
		result = result == first ? second : first;
	run(threads, [&](unsigned t) {
		number *from = first, *to = second;
		for (size_t half = points / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
			const part mine = part_of(points / 2, t, threads);
			for (size_t i = mine.begin; i < mine.end; i++) {
				const size_t p = i / stride, q = i % stride;
				const number a = from[q + stride * p], b = from[q + stride * (p + half)];
				to[q + stride * 2 * p] = a + b;
				to[q + stride * (2 * p + 1)] = (a - b) * roots[p * stride];
			}
			std::swap(from, to);
			barrier();
		}
	});
	for (size_t k : {size_t(0), size_t(1), points / 3, points - 1}) {
		number sum = 0;
		for (size_t i = 0; i < points; i++)
			sum += was[i] * std::polar(1.0, -two_pi * double(k * i % points) / double(points));
		if (std::abs(sum - result[k]) > tolerance)
			return false;
	}
	return true;
}

} // namespace noc::record
