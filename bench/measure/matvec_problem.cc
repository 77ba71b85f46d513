// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/matvec_problem.h"

#include "common/progress.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace bench
{

namespace
{

constexpr size_t lanes = 16;

// Sums in lanes, so that the compiler may use vector registers without reordering anything.
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

// One work-item a row: what the paper ran, and what one writes first.
const char *const plain_source = R"(
kernel void matvec(global const float *A, global const float *x, global const float *b, global float *y, int n)
{
	int i = get_global_id(0);
	if (i >= n)
		return;
	float sum = 0;
	for (int j = 0; j < n; ++j)
		sum += A[(size_t)i * n + j] * x[j];
	y[i] = sum + b[i];
}
)";

// For speed: a core takes whole rows in vector registers; a GPU's work-group takes one row together, so that
// its reads coalesce.
const char *const tuned_source = R"(
#ifdef CPU_DEVICE
kernel void matvec(global const float *A, global const float *x, global const float *b, global float *y, int n)
{
	size_t i = get_global_id(0);
	if (i >= n)
		return;
	global const float *row = A + i * n;
	float16 sum = 0;
	int j = 0;
	for (; j + 16 <= n; j += 16)
		sum += vload16(0, row + j) * vload16(0, x + j);
	float8 s8 = sum.lo + sum.hi;
	float4 s4 = s8.lo + s8.hi;
	float total = s4.x + s4.y + s4.z + s4.w;
	for (; j < n; ++j)
		total += row[j] * x[j];
	y[i] = total + b[i];
}
#else
kernel void matvec(global const float *A, global const float *x, global const float *b, global float *y, int n)
{
	local float sums[64];
	size_t i = get_group_id(0), l = get_local_id(0);
	float sum = 0;
	for (int j = l; j < n; j += 64)
		sum += A[i * n + j] * x[j];
	sums[l] = sum;
	for (int half = 32; half > 0; half /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < half)
			sums[l] += sums[l + half];
	}
	if (l == 0)
		y[i] = sums[0] + b[i];
}
#endif
)";

void matvec_on_items(arguments a, size_t first, size_t end)
{
	const size_t n = size_t(a[4].integer);
	matvec_rows(static_cast<float *>(a[0].buffer), static_cast<float *>(a[1].buffer),
		    static_cast<float *>(a[2].buffer), static_cast<float *>(a[3].buffer), n, first, std::min(end, n));
}

const kernel plain_matvec = {"matvec", plain_source, matvec_on_items};
const kernel tuned_matvec = {"matvec", tuned_source, matvec_on_items, "matvec_tuned"};

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
