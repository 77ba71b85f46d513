// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernels of the ten applications, small. Their runs are only compared with each other.
#include "example.h"

#include <numeric>

namespace het::ptx::simt
{

std::vector<example> applications()
{
	std::vector<example> all;
	auto reals = [](size_t n, unsigned seed) { return numbers<float>(n, 1, 50, seed); };
	auto add = [&](const char *file, const char *kernel, extent grid, extent block) -> example & {
		return all.emplace_back(std::string("../../../../bench/apps/") + file + ".ptx", kernel, grid, block);
	};
	add("black-scholes", "price", {3}, {64})
		.in(reals(150, 1))
		.in(reals(150, 2))
		.in(reals(150, 3))
		.out<float>(150)
		.out<float>(150)
		.value(150u)
		.value(0.05f)
		.value(0.3f);
	add("histogram", "count", {2}, {256}).in(numbers<uint8_t>(2000, 0, 255)).out<unsigned>(256).value(2000u);
	add("mandelbrot", "escape", {3, 3}, {16, 8})
		.out<unsigned>(40 * 20)
		.value(40u)
		.value(20u)
		.value(-2.f)
		.value(-1.f)
		.value(0.1f)
		.value(40u);
	add("matmul", "multiply", {2, 2}, {16, 16})
		.in(reals(32 * 32, 1))
		.in(reals(32 * 32, 2))
		.out<float>(32 * 32)
		.value(32u);
	add("nbody", "move_bodies", {2}, {64})
		.in(reals(4 * 128, 1))
		.out<float>(4 * 128)
		.inout(reals(4 * 128, 2))
		.value(128u)
		.value(0.1f)
		.value(0.01f);
	add("reduction", "sum", {2}, {256}).in(numbers<unsigned>(2000, 0, 999)).out<uint64_t>(2).value(2000u);
	add("reduction", "sum_of_sums", {1}, {256}).in(numbers<uint64_t>(600, 0, 999)).out<uint64_t>(1).value(600u);
	std::vector<unsigned> rows(20), starts(101);
	std::iota(rows.begin(), rows.end(), 0);
	add("sparse-update", "update", {2}, {64}).inout(reals(20 * 5, 1)).in(rows).value(20u).value(5u).value(1.5f);
	for (unsigned n = 0; n < 100; n++)
		starts[n + 1] = starts[n] + n % 9;
	add("spmv", "multiply_rows", {2}, {64})
		.in(starts)
		.in(numbers<unsigned>(starts[100], 0, 99))
		.in(reals(starts[100], 1))
		.in(reals(100, 2))
		.out<float>(100)
		.value(100u);
	add("stencil", "relax", {3, 3}, {16, 8})
		.in(reals(40 * 20, 1))
		.out<float>(40 * 20)
		.value(40u)
		.value(20u)
		.value(0.2f);
	add("vectoradd", "add", {3}, {64}).in(reals(150, 1)).in(reals(150, 2)).out<float>(150).value(uint64_t{150});
	return all;
}

} // namespace het::ptx::simt
