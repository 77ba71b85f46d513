// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/cl_programs.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>

namespace bench
{

extern const kernel_text black_scholes_kernels, hashes_kernels, histogram_kernels, mandelbrot_kernels, matmul_kernels,
	nbody_kernels, reduction_kernels, spmv_kernels, stencil_kernels, vectoradd_kernels;

namespace
{

template <class T> std::vector<char> bytes_of(const std::vector<T> &values)
{
	std::vector<char> bytes(values.size() * sizeof(T));
	memcpy(bytes.data(), values.data(), bytes.size());
	return bytes;
}

template <class T> std::vector<char> value(T v)
{
	static_assert(std::is_arithmetic_v<T>);
	return bytes_of(std::vector<T>{v});
}

std::vector<char> floats(size_t n, float low, float high)
{
	std::mt19937 random{unsigned(n)};
	std::uniform_real_distribution<float> any(low, high);
	std::vector<float> v(n);
	for (float &f : v)
		f = any(random);
	return bytes_of(v);
}

std::vector<char> words(size_t n, uint32_t below)
{
	std::mt19937 random{unsigned(n)};
	std::vector<uint32_t> v(n);
	for (uint32_t &w : v)
		w = uint32_t(random() % below);
	return bytes_of(v);
}

cl_array input(std::vector<char> start)
{
	const size_t n = start.size();
	return {n, std::move(start), false};
}
cl_array output(size_t nbytes)
{
	return {nbytes, {}, true};
}
cl_array both(std::vector<char> start)
{
	cl_array a = input(std::move(start));
	a.result = true;
	return a;
}

// Each program has these sizes.
struct sizes {
	size_t small, usual, large;
	size_t of(cl_size s) const { return s == cl_size::small ? small : s == cl_size::usual ? usual : large; }
};

constexpr size_t group = 256, tile = 16;

cl_program_text vectoradd(cl_size s)
{
	const size_t n = sizes{1 << 14, 1 << 22, 1 << 27}.of(s);
	cl_program_text p = {"vectoradd", &vectoradd_kernels, "add"};
	p.arrays = {input(floats(n, 0, 1)), input(floats(n, 1, 2)), output(4 * n)};
	p.arguments = {size_t{0}, size_t{1}, size_t{2}, value(uint64_t{n})};
	p.global[0] = n;
	p.local[0] = group;
	return p;
}

cl_program_text stencil(cl_size s)
{
	const size_t n = sizes{128, 1024, 8192}.of(s);
	cl_program_text p = {"stencil", &stencil_kernels, "relax"};
	p.arrays = {input(floats(n * n, 0, 1)), output(4 * n * n)};
	p.arguments = {size_t{0}, size_t{1}, value(uint32_t(n)), value(uint32_t(n)), value(0.1f)};
	p.global = {n, n};
	p.local = {tile, tile};
	p.steps = 9; // the last one writes the second array
	p.swaps = true;
	return p;
}

cl_program_text spmv(cl_size s)
{
	const size_t rows = sizes{1 << 13, 1 << 17, 1 << 22}.of(s), each = 24;
	std::vector<uint32_t> starts(rows + 1);
	for (size_t r = 0; r <= rows; r++)
		starts[r] = uint32_t(r * each);
	cl_program_text p = {"spmv", &spmv_kernels, "multiply_rows"};
	p.arrays = {input(bytes_of(starts)), input(words(rows * each, uint32_t(rows))),
		    input(floats(rows * each, 0, 1)), input(floats(rows, 0, 1)), output(4 * rows)};
	p.arguments = {size_t{0}, size_t{1}, size_t{2}, size_t{3}, size_t{4}, value(uint32_t(rows))};
	p.global[0] = rows;
	p.local[0] = group;
	return p;
}

cl_program_text reduction(cl_size s)
{
	const size_t n = sizes{1 << 16, 1 << 24, 1 << 28}.of(s), groups = 256;
	cl_program_text p = {"reduction", &reduction_kernels, "sum"};
	p.arrays = {input(words(n, 1000)), output(8 * groups)};
	p.arguments = {size_t{0}, size_t{1}, value(uint32_t(n))};
	p.global[0] = groups * group;
	p.local[0] = group;
	return p;
}

cl_program_text histogram(cl_size s)
{
	const size_t n = sizes{1 << 16, 1 << 24, 1 << 28}.of(s), groups = 256;
	cl_program_text p = {"histogram", &histogram_kernels, "count"};
	p.arrays = {input(words(n / 4, UINT32_MAX)), both(std::vector<char>(4 * group))};
	p.arguments = {size_t{0}, size_t{1}, value(uint32_t(n))};
	p.global[0] = groups * group;
	p.local[0] = group;
	return p;
}

cl_program_text black_scholes(cl_size s)
{
	const size_t n = sizes{1 << 16, 1 << 20, 1 << 26}.of(s);
	cl_program_text p = {"black-scholes", &black_scholes_kernels, "price"};
	p.arrays = {input(floats(n, 5, 30)), input(floats(n, 1, 100)), input(floats(n, 0.25f, 10)), output(4 * n),
		    output(4 * n)};
	p.arguments = {size_t{0}, size_t{1},          size_t{2},    size_t{3},
		       size_t{4}, value(uint32_t(n)), value(0.02f), value(0.3f)};
	p.global[0] = n;
	p.local[0] = 64;
	return p;
}

cl_program_text mandelbrot(cl_size s)
{
	const size_t width = sizes{256, 768, 8192}.of(s), height = width / 2;
	const auto most = uint32_t(sizes{200, 300, 10000}.of(s));
	cl_program_text p = {"mandelbrot", &mandelbrot_kernels, "escape"};
	p.arrays = {output(4 * width * height)};
	p.arguments = {size_t{0},    value(uint32_t(width)), value(uint32_t(height)),
		       value(-2.0f), value(-0.75f),          value(3.0f / float(width)),
		       value(most)};
	p.global = {width, height};
	p.local = {tile, tile / 4};
	return p;
}

cl_program_text matmul(cl_size s)
{
	const size_t n = sizes{256, 384, 8192}.of(s);
	cl_program_text p = {"matmul", &matmul_kernels, "multiply"};
	p.arrays = {input(floats(n * n, 0, 1)), input(floats(n * n, 0, 1)), output(4 * n * n)};
	p.arguments = {size_t{0}, size_t{1}, size_t{2}, value(uint32_t(n))};
	p.global = {n, n};
	p.local = {tile, tile};
	return p;
}

cl_program_text nbody(cl_size s)
{
	const size_t n = sizes{16384, 4096, 1 << 17}.of(s);
	cl_program_text p = {"nbody", &nbody_kernels, "move_bodies"};
	p.arrays = {input(floats(4 * n, 0.1f, 1)), output(16 * n), input(floats(4 * n, 0, 0.1f))};
	p.arguments = {size_t{0}, size_t{1}, size_t{2}, value(uint32_t(n)), value(0.01f), value(0.001f)};
	p.global[0] = n;
	p.local[0] = 64; // the kernel says so
	p.steps = s == cl_size::small ? 1 : 3;
	p.swaps = true;
	return p;
}

cl_program_text hashes(cl_size s)
{
	const size_t n = sizes{1 << 16, 1 << 17, 1 << 24}.of(s);
	const auto rounds = uint32_t(sizes{100, 200, 5000}.of(s));
	cl_program_text p = {"hashes", &hashes_kernels, "mix_numbers"};
	p.arrays = {output(8 * n)};
	p.arguments = {size_t{0}, value(uint32_t(n)), value(rounds)};
	p.global[0] = n;
	p.local[0] = 64;
	return p;
}

constexpr cl_program_maker all[] = {
	{"vectoradd", false, vectoradd},  {"stencil", false, stencil},     {"spmv", false, spmv},
	{"reduction", false, reduction},  {"histogram", false, histogram}, {"black-scholes", true, black_scholes},
	{"mandelbrot", true, mandelbrot}, {"matmul", true, matmul},        {"nbody", true, nbody},
	{"hashes", true, hashes},
};

} // namespace

std::span<const cl_program_maker> cl_programs()
{
	return all;
}

} // namespace bench
