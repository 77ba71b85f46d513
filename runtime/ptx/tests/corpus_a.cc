// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// corpus_test.cc knows what these kernels of corpus A must give. Here their runs are only compared with each other.
#include "example.h"

#include <numeric>

namespace het::ptx::simt
{

namespace
{

void add_basic(const std::string &file, std::vector<example> *all)
{
	auto reals = [](size_t n) { return numbers<float>(n, -50, 50); };
	auto add = [&](const char *kernel, extent grid, extent block, uint32_t shared = 0) -> example & {
		return all->emplace_back(file, kernel, grid, block, shared);
	};
	add("vector_add", {8}, {128}).in(reals(1000)).in(reals(1001)).out<float>(1000).value(1000u);
	add("saxpy4", {2}, {32}).value(3.f).in(reals(400)).inout(reals(401)).value(100u);
	add("sum", {3}, {96}).in(reals(1000)).out<float>(3).value(1000u);
	add("scan", {1}, {128}, 4 * 128).in(numbers<int>(100, -50, 50)).out<int>(100).value(100u);
	add("histogram", {2}, {64}).in(numbers<uint8_t>(3000, 0, 255)).out<unsigned>(256).value(3000u);
	add("transpose", {2, 3}, {16, 16})
		.in(numbers<double>(40 * 23, -50, 50))
		.out<double>(40 * 23)
		.value(40u)
		.value(23u);
	add("stencil", {3, 2}, {16, 8}).in(reals(40 * 13)).out<float>(40 * 13).value(40).value(13);
	add("newton_sqrt", {1}, {64}).in(numbers<double>(50, 0, 1000)).out<double>(50).value(50u).value(40);
	add("matvec", {2}, {128}).in(reals(350)).in(reals(50)).out<float>(7).value(7u).value(50u);
}

void add_control(std::vector<example> *all)
{
	auto add = [&](const char *kernel, extent grid, extent block) -> example & {
		return all->emplace_back("control.ptx", kernel, grid, block);
	};
	add("collatz", {1}, {64}).in(numbers<unsigned>(40, 1, 60)).out<unsigned>(40).value(40u);
	add("recursive", {1}, {32}).out<unsigned>(32);
	add("switches", {2}, {32}).in(numbers<int>(64, -1, 8)).inout(numbers<int>(128, 0, 100)).value(64u);
	add("local_sort", {2}, {32}).in(numbers<int>(64 * 11, -99, 99)).out<int>(64 * 11).value(11);
	add("arg_max", {1}, {64}).in(numbers<double>(300, -9999, 9999)).out<int>(64).value(300);
	add("say", {2}, {32}).value(0);
	add("locked", {3}, {64}).out<unsigned>(1).out<unsigned>(1);
}

void add_warp(std::vector<example> *all)
{
	auto add = [&](const char *kernel, extent block) -> example & {
		return all->emplace_back("warp.ptx", kernel, extent{1}, block);
	};
	std::vector<unsigned> words(32);
	std::iota(words.begin(), words.end(), 0x12345678u);
	add("votes", {32}).in(numbers<int>(32, 0, 9)).out<unsigned>(32 * 12).repeats_in(example::lockstep);
	add("bits", {32}).in(words).out<unsigned>(320);
	add("wide", {32}).in(numbers<int64_t>(32, -999999, 999999)).out<int64_t>(6 * 32);
	add("atomics", {64})
		.out<unsigned>(12)
		.out<int>(2)
		.out<uint64_t>(2)
		.out<float>(1)
		.out<double>(1)
		.repeats_in(example::no_order);
	add("rounding", {32}).in(numbers<float>(64, 1, 99)).out<float>(12 * 32);
}

void add_opencl(std::vector<example> *all)
{
	auto reals = [](size_t n) { return numbers<float>(n, -50, 50); };
	auto add = [&](const char *kernel, extent grid, extent block, uint32_t shared = 0) -> example & {
		return all->emplace_back("kernels.ptx", kernel, grid, block, shared);
	};
	add("vector_add", {4}, {64}).in(reals(250)).in(reals(251)).out<float>(250).value(250u);
	add("scalar_product", {2}, {64}, 64 * 4).in(reals(500)).in(reals(501)).out<float>(2).local().value(500u);
	add("collatz", {2}, {64}).in(numbers<unsigned>(100, 1, 60)).out<unsigned>(100).value(100u);
	add("count_bytes", {2}, {64}).in(numbers<uint8_t>(1000, 0, 255)).out<unsigned>(256).value(1000u);
	add("swizzle", {2}, {32}).in(reals(256)).out<float>(256).in(numbers<int16_t>(128, -999, 999)).out<int64_t>(128);
	add("own_array", {2}, {32}).in(numbers<int>(8 * 64, -99, 99)).out<int>(64);
}

} // namespace

std::vector<example> corpus_a()
{
	std::vector<example> all;
	add_basic("basic.ptx", &all);
	add_basic("lines.ptx", &all);
	add_control(&all);
	add_warp(&all);
	add_opencl(&all);
	return all;
}

} // namespace het::ptx::simt
