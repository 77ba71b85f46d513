// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

constexpr const char *file = "sorts.ptx";

template <typename T> std::vector<T> sorted(std::vector<T> v, size_t part = 0)
{
	part = part ? part : v.size();
	for (size_t at = 0; at < v.size(); at += part)
		std::sort(v.begin() + long(at), v.begin() + long(at + part));
	return v;
}

void networks(examples *all)
{
	auto v = numbers<int>(128, -99, 99), want = v;
	for (unsigned i = 0; i < 128; i++)
		if (i < (i ^ 4u) && (want[i] > want[i ^ 4]) == ((i & 16) == 0))
			std::swap(want[i], want[i ^ 4]);
	all->emplace_back(file, "bitonic_step", extent{2}, extent{64}).inout(v, want).value(16u).value(4u);
	v = numbers<int>(512, -9999, 9999);
	all->emplace_back(file, "bitonic_block", extent{2}, extent{128}).inout(v, sorted(v, 256));
	auto few = numbers<int16_t>(51, -99, 99);
	all->emplace_back(file, "odd_even", extent{1}, extent{32}).inout(few, sorted(few)).value(51u);
}

void ranks(examples *all)
{
	auto v = numbers<float>(100, -20, 20);
	all->emplace_back(file, "rank_sort", extent{4}, extent{32}).in(v).out(sorted(v)).value(100u);
	auto a = sorted(numbers<int>(70, -50, 50)), b = sorted(numbers<int>(45, -50, 50));
	std::vector<int> want(115);
	std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
	all->emplace_back(file, "merge_lists", extent{2}, extent{64}).in(a).in(b).out(want).value(70u).value(45u);
}

// Adds both halves of a radix sort by the digit of bits 4 to 7.
void radix(examples *all)
{
	constexpr unsigned blocks = 6, shift = 4;
	auto v = numbers<unsigned>(blocks * 32, 0, 4095);
	std::vector<unsigned> counts(16 * blocks), firsts(16 * blocks), want = v;
	for (size_t i = 0; i < v.size(); i++)
		counts[(v[i] >> shift & 15) * blocks + i / 32]++;
	for (size_t i = 1; i < counts.size(); i++)
		firsts[i] = firsts[i - 1] + counts[i - 1];
	std::stable_sort(want.begin(), want.end(),
			 [](unsigned a, unsigned b) { return (a >> shift & 15) < (b >> shift & 15); });
	all->emplace_back(file, "radix_count", extent{blocks}, extent{32})
		.in(v)
		.out(counts)
		.value(blocks * 32)
		.value(shift);
	all->emplace_back(file, "radix_scatter", extent{blocks}, extent{32}).in(v).in(firsts).out(want).value(shift);
}

void own_lists(examples *all)
{
	auto v = numbers<uint16_t>(64 * 23, 0, 60000);
	all->emplace_back(file, "shell_sort", extent{2}, extent{32}).inout(v, sorted(v, 23)).value(23);
}

} // namespace

void add_sorts(examples *all)
{
	for (auto add : {networks, ranks, radix, own_lists})
		add(all);
}

} // namespace het::ptx::simt
