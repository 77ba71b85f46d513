// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

#include <algorithm>
#include <numeric>

namespace het::ptx::simt
{

namespace
{

constexpr const char *file = "calls.ptx";

void calculate(examples *all)
{
	auto a = numbers<float>(150, -99, 99), b = numbers<float>(150, -99, 99, 2);
	auto codes = numbers<uint8_t>(150, 0, 255);
	std::vector<float> want;
	for (size_t i = 0; i < 150; i++)
		want.push_back((codes[i] & 3) == 0   ? a[i] + b[i]
			       : (codes[i] & 3) == 1 ? a[i] - b[i]
			       : (codes[i] & 3) == 2 ? a[i] * b[i]
						     : std::min(a[i], b[i]));
	all->emplace_back(file, "calculate", extent{3}, extent{64}).in(codes).in(a).in(b).out(want).value(150u);
}

// The program squares a positive number and adds 7, and negates any other.
void interpret(examples *all)
{
	std::vector<int> program{1, 5, 5, 1, 7, 0, 1, 6, 4, 2, 7, 3, 0};
	auto in = numbers<int>(100, -30, 30);
	std::vector<int> want;
	for (int v : in)
		want.push_back(v > 0 ? v * v + 7 : -v);
	all->emplace_back(file, "interpret", extent{2}, extent{64}).in(program).in(in).out(want).value(100u);
}

void recursion(examples *all)
{
	auto a = numbers<unsigned>(64, 1, 9999), b = numbers<unsigned>(64, 1, 9999, 2);
	std::vector<unsigned> want(64);
	std::transform(a.begin(), a.end(), b.begin(), want.begin(),
		       [](unsigned x, unsigned y) { return std::gcd(x, y); });
	all->emplace_back(file, "divisors", extent{2}, extent{32}).in(a).in(b).out(want);
	auto in = numbers<uint8_t>(64, 0, 40);
	std::vector<uint8_t> even;
	for (uint8_t v : in)
		even.push_back(v % 2 == 0);
	all->emplace_back(file, "parity", extent{2}, extent{32}).in(in).out(even);
}

void structures(examples *all)
{
	auto a = numbers<double>(150, -9, 9), b = numbers<double>(150, -9, 9, 2);
	std::vector<double> want(150);
	auto cross = [](const double *u, const double *v, double *to) {
		for (size_t k = 0; k < 3; k++)
			to[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
	};
	for (size_t i = 0; i < 150; i += 3) {
		double once[3];
		cross(&a[i], &b[i], once);
		cross(&a[i], once, &want[i]);
	}
	all->emplace_back(file, "cross_products", extent{2}, extent{32}).in(a).in(b).out(want).value(50u);
}

void places(examples *all)
{
	std::vector<unsigned> want;
	for (unsigned block = 0; block < 24; block++)
		for (unsigned t = 0; t < 40; t++)
			want.push_back(4 * 1000000 + 2 * 10000 + block * 100 + t);
	all->emplace_back(file, "places", extent{3, 2, 4}, extent{8, 5}).out(want);
}

void pointers(examples *all)
{
	std::vector<int> want;
	for (int t = 0; t < 32; t++)
		for (int i = 0; i < 4; i++)
			want.push_back((t + 1) * i);
	all->emplace_back(file, "pointers", extent{1}, extent{32}).out(want);
}

} // namespace

void add_calls(examples *all)
{
	for (auto add : {calculate, interpret, recursion, structures, places, pointers})
		add(all);
}

} // namespace het::ptx::simt
