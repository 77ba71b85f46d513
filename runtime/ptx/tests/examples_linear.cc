// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

constexpr const char *file = "linear.ptx";

void matmul(examples *all)
{
	constexpr unsigned n = 21;
	auto a = numbers<float>(n * n, -9, 9), b = numbers<float>(n * n, -9, 9, 2);
	std::vector<float> c(n * n);
	for (unsigned y = 0; y < n; y++)
		for (unsigned x = 0; x < n; x++)
			for (unsigned k = 0; k < n; k++)
				c[y * n + x] += a[y * n + k] * b[k * n + x];
	all->emplace_back(file, "matmul", extent{2, 2}, extent{16, 16}).in(a).in(b).out(c).value(n);
}

void sparse(examples *all)
{
	constexpr unsigned rows = 70, width = 4;
	auto lengths = numbers<unsigned>(rows, 0, 7), columns = numbers<unsigned>(rows * 7, 0, rows - 1);
	auto values = numbers<double>(rows * 7, -9, 9), x = numbers<double>(rows, -9, 9, 2);
	std::vector<unsigned> firsts{0};
	std::vector<double> y(rows);
	for (unsigned r = 0; r < rows; r++) {
		firsts.push_back(firsts[r] + lengths[r]);
		for (unsigned i = firsts[r]; i < firsts[r + 1]; i++)
			y[r] += values[i] * x[columns[i]];
	}
	all->emplace_back(file, "sparse_rows", extent{3}, extent{32})
		.in(firsts)
		.in(columns)
		.in(values)
		.in(x)
		.out(y)
		.value(rows);

	auto places = numbers<int>(rows * width, -30, int(rows) - 1);
	auto reals = numbers<float>(rows * width, -9, 9), v = numbers<float>(rows, -9, 9, 2);
	std::vector<float> sums(rows);
	for (unsigned i = 0; i < rows * width; i++)
		if (places[i] >= 0)
			sums[i % rows] += reals[i] * v[size_t(places[i])];
	all->emplace_back(file, "sparse_columns", extent{3}, extent{32})
		.in(places)
		.in(reals)
		.in(v)
		.out(sums)
		.value(rows)
		.value(width);
}

void equations(examples *all)
{
	constexpr unsigned n = 40;
	auto l = numbers<double>(n * n, -1, 1), b = numbers<double>(n, -9, 9), x = b;
	for (unsigned r = 0; r < n; r++)
		for (unsigned k = 0; k < r; k++)
			x[r] -= l[r * n + k] * x[k];
	all->emplace_back(file, "solve_lower", extent{1}, extent{64}).in(l).inout(b, x).value(n);

	constexpr unsigned m = 12, k = 3;
	auto a = numbers<float>(m * m, 1, 9), want = a;
	for (unsigned r = k + 1; r < m; r++)
		for (unsigned c = k + 1; c < m; c++)
			want[r * m + c] -= a[r * m + k] / a[k * m + k] * a[k * m + c];
	all->emplace_back(file, "eliminate", extent{1, m - k - 1}, extent{32}).inout(a, want, 1e-5).value(m).value(k);
}

void forces(examples *all)
{
	constexpr size_t n = 64;
	auto bodies = numbers<float>(4 * n, 1, 50);
	std::vector<float> want(4 * n);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double d[3], square = 0.01;
			for (size_t k = 0; k < 3; k++) {
				d[k] = bodies[4 * j + k] - bodies[4 * i + k];
				square += d[k] * d[k];
			}
			for (size_t k = 0; k < 3; k++)
				want[4 * i + k] += float(bodies[4 * j + 3] * d[k] / (square * std::sqrt(square)));
		}
	all->emplace_back(file, "forces", extent{2}, extent{32}).in(bodies).out(want, 1e-3).value(unsigned(n));
}

void circle(examples *all)
{
	unsigned inside = 0;
	for (unsigned t = 0; t < 96; t++) {
		unsigned s = t + 1;
		for (unsigned i = 0; i < 50; i++) {
			s ^= s << 13;
			s ^= s >> 17;
			s ^= s << 5;
			uint64_t x = s & 0xffff, y = s >> 16;
			inside += x * x / 2 + y * y / 2 < 0x80000000u;
		}
	}
	all->emplace_back(file, "circle", extent{3}, extent{32}).out(std::vector<unsigned>{inside}).value(50u);
}

void mandelbrot(examples *all)
{
	constexpr int width = 24, height = 16, most = 40;
	std::vector<unsigned> want(width * height);
	for (int i = 0; i < width * height; i++) {
		double a = 3.0 * (i % width) / width - 2, b = 2.0 * (i / width) / height - 1, u = 0, v = 0;
		unsigned &n = want[size_t(i)];
		for (; n < most && u * u + v * v <= 4; n++) {
			double w = std::fma(u, u, -(v * v)) + a;
			v = std::fma(2 * u, v, b);
			u = w;
		}
	}
	all->emplace_back(file, "mandelbrot", extent{2, 2}, extent{16, 8})
		.out(want)
		.value(width)
		.value(height)
		.value(most);
}

} // namespace

void add_linear(examples *all)
{
	for (auto add : {matmul, sparse, equations, forces, circle, mandelbrot})
		add(all);
}

} // namespace het::ptx::simt
