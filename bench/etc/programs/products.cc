// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// In PolyBench BICG's product by columns comes first. Here all of them begin with the rows, as the classifier sees the
// begin alone: by BICG's other order it would take the program for a regular one.
#include "etc/programs/common.h"

namespace bench
{
extern const kernel_text products_kernels;
}

namespace etc
{

namespace
{

// A group is a warp, so that each processor has several, as with the larger matrices of a whole machine.
constexpr uint32_t threads = 32;

constexpr uint32_t length_of(bool tiny)
{
	return tiny ? 128 : 1024;
}

// Returns @y plus the product of the matrix, or of the transposed one, and @x.
std::vector<double> product(const std::vector<float> &a, bool transposed, const std::vector<double> &x,
			    std::vector<double> y)
{
	const size_t n = x.size();
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			y[transposed ? j : i] += double(a[i * n + j]) * x[transposed ? i : j];
	return y;
}

std::vector<double> doubles(const std::vector<float> &v)
{
	return {v.begin(), v.end()};
}

} // namespace

program_trace record_atax(uint32_t page_bytes, bool tiny)
{
	const uint32_t n = length_of(tiny);
	std::vector<float> a = some_floats(size_t{n} * n, 13, 0, 1), x = some_floats(n, 14, 0, 1), between(n), y(n);
	record::recorder r("ATAX", {&bench::products_kernels}, page_bytes);
	const record::array matrix = r.add(a), from = r.add(x), middle = r.add(between), to = r.add(y);
	r.run("rows_times", {n / threads}, {threads}, matrix, from, middle, n);
	r.run("columns_times", {n / threads}, {threads}, matrix, middle, to, n);
	const std::vector<double> zero(n);
	compare("ATAX", y, product(a, true, product(a, false, doubles(x), zero), zero), 1e-4);
	return r.take();
}

program_trace record_bicg(uint32_t page_bytes, bool tiny)
{
	const uint32_t n = length_of(tiny);
	std::vector<float> a = some_floats(size_t{n} * n, 15, 0, 1), p = some_floats(n, 16, 0, 1), q(n),
			   s_from = some_floats(n, 17, 0, 1), s(n);
	record::recorder r("BICG", {&bench::products_kernels}, page_bytes);
	const record::array matrix = r.add(a), of_rows = r.add(p), rows = r.add(q), of_columns = r.add(s_from),
			    columns = r.add(s);
	r.run("rows_times", {n / threads}, {threads}, matrix, of_rows, rows, n);
	r.run("columns_times", {n / threads}, {threads}, matrix, of_columns, columns, n);
	const std::vector<double> zero(n);
	compare("BICG", q, product(a, false, doubles(p), zero), 1e-4);
	compare("BICG", s, product(a, true, doubles(s_from), zero), 1e-4);
	return r.take();
}

program_trace record_gesummv(uint32_t page_bytes, bool tiny)
{
	const uint32_t n = tiny ? 128 : 768;
	constexpr float alpha = 1.5f, beta = 0.5f;
	std::vector<float> a = some_floats(size_t{n} * n, 18, 0, 1), b = some_floats(size_t{n} * n, 19, 0, 1),
			   x = some_floats(n, 20, 0, 1), y(n);
	record::recorder r("GESUMMV", {&bench::products_kernels}, page_bytes);
	const record::array first = r.add(a), second = r.add(b), from = r.add(x), to = r.add(y);
	r.run("sum_of_products", {n / threads}, {threads}, first, second, from, to, alpha, beta, n);
	const std::vector<double> zero(n), of_a = product(a, false, doubles(x), zero),
					   of_b = product(b, false, doubles(x), zero);
	std::vector<double> expected(n);
	for (size_t i = 0; i < n; i++)
		expected[i] = double(alpha) * of_a[i] + double(beta) * of_b[i];
	compare("GESUMMV", y, expected, 1e-4);
	return r.take();
}

program_trace record_mvt(uint32_t page_bytes, bool tiny)
{
	const uint32_t n = length_of(tiny);
	std::vector<float> a = some_floats(size_t{n} * n, 21, 0, 1), x1 = some_floats(n, 22, 0, 1),
			   x2 = some_floats(n, 23, 0, 1), y1 = some_floats(n, 24, 0, 1), y2 = some_floats(n, 25, 0, 1);
	const std::vector<double> first = product(a, false, doubles(y1), doubles(x1)),
				  second = product(a, true, doubles(y2), doubles(x2));
	record::recorder r("MVT", {&bench::products_kernels}, page_bytes);
	const record::array matrix = r.add(a), to1 = r.add(x1), from1 = r.add(y1), to2 = r.add(x2), from2 = r.add(y2);
	r.run("rows_times", {n / threads}, {threads}, matrix, from1, to1, n);
	r.run("columns_times", {n / threads}, {threads}, matrix, from2, to2, n);
	compare("MVT", x1, first, 1e-4);
	compare("MVT", x2, second, 1e-4);
	return r.take();
}

} // namespace etc
