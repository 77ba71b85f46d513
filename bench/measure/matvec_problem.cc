// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/matvec_problem.h"

#include "common/progress.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace bench
{

extern const kernel_text matvec_kernels;

namespace
{

constexpr size_t lanes = 16;

// Adds in lanes, so that the compiler may use vector registers without reordering anything.
float row_product(const float *row, const float *x, size_t n)
{
	float sum[lanes] = {};
	size_t j = 0;
	for (; j + lanes <= n; j += lanes)
		for (size_t l = 0; l < lanes; ++l)
			sum[l] += row[j + l] * x[j + l];
	float total = 0;
	for (; j < n; ++j)
		total += row[j] * x[j];
	for (float s : sum)
		total += s;
	return total;
}

void matvec_rows(const float *A, const float *x, const float *b, float *y, size_t n, size_t first, size_t end)
{
	for (size_t i = first; i < end; ++i)
		y[i] = row_product(A + i * n, x, n) + b[i];
}

void matvec_on_items(arguments a, size_t first, size_t end)
{
	const size_t n = size_t(a[4].integer);
	matvec_rows(static_cast<float *>(a[0].buffer), static_cast<float *>(a[1].buffer),
		    static_cast<float *>(a[2].buffer), static_cast<float *>(a[3].buffer), n, first, std::min(end, n));
}

const kernel plain_matvec = {"matvec", matvec_kernels, matvec_on_items};
const kernel tuned_matvec = {"matvec_tuned", matvec_kernels, matvec_on_items};

} // namespace

matvec_problem::matvec_problem(size_t size) : n(size), A(n * n), b(n), x0(n)
{
	std::mt19937 random(2011);
	std::uniform_real_distribution<float> unit(-1, 1);
	const float little = 0.0005f / float(n);
	for (size_t i = 0; i < n; ++i) {
		for (size_t j = 0; j < n; ++j)
			A[i * n + j] = little * unit(random);
		A[i * n + (i + 1) % n] += 0.999f;
		b[i] = i % 2 ? 0.01f : -0.01f;
		x0[i] = unit(random);
	}
}

void launch_matvec(device &d, bool tuned, void *A, void *x, void *b, void *y, size_t n)
{
	const argument args[] = {A, x, b, y, int(n)};
	constexpr size_t group = 64;
	const bool row_a_group = tuned && !d.cpu();
	d.launch(tuned ? tuned_matvec : plain_matvec, row_a_group ? n * group : (n + group - 1) / group * group, group,
		 args);
}

std::vector<float> matvec_on_host(const matvec_problem &p, unsigned iterations)
{
	std::vector<float> x = p.x0, y(p.n);
	progress shown("matvec: the same on the host alone, to check the results", iterations);
	for (unsigned i = 0; i < iterations; ++i) {
		matvec_rows(p.A.data(), x.data(), p.b.data(), y.data(), p.n, 0, p.n);
		x.swap(y);
		shown.step();
	}
	return x;
}

double relative_error(const float *x, const std::vector<float> &reference)
{
	double largest = 0, error = 0;
	for (size_t i = 0; i < reference.size(); ++i) {
		largest = std::max(largest, std::fabs(double(reference[i])));
		double e = std::fabs(double(x[i]) - double(reference[i]));
		if (std::isnan(e))
			return e;
		error = std::max(error, e);
	}
	return largest > 0 ? error / largest : error;
}

} // namespace bench
