// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

namespace het::ptx::simt
{

namespace
{

constexpr const char *file = "counting.ptx";

void bins(examples *all)
{
	auto in = numbers<unsigned>(700, 0, 99999);
	std::vector<unsigned> want(37);
	for (unsigned v : in)
		want[v % 37]++;
	all->emplace_back(file, "bins_global", extent{3}, extent{64}).in(in).out(want).value(700u).value(37u);

	auto bytes = numbers<uint8_t>(256, 0, 19);
	std::vector<unsigned> together(256), low(16);
	for (uint8_t v : bytes) {
		together[v]++;
		low[v & 15]++;
	}
	all->emplace_back(file, "bins_together", extent{4}, extent{64}).in(bytes).out(together);
	all->emplace_back(file, "bins_bytes", extent{1}, extent{64}).in(bytes).out(low).value(256u);
}

void classes(examples *all)
{
	auto a = numbers<uint8_t>(200, 0, 255), b = numbers<uint8_t>(200, 0, 255, 2);
	std::vector<unsigned> both(64);
	for (size_t i = 0; i < 200; i++)
		both[size_t(a[i] / 32 * 8 + b[i] / 32)]++;
	all->emplace_back(file, "joint", extent{4}, extent{64}).in(a).in(b).out(both).value(200u);

	auto weights = numbers<double>(150, -64, 64);
	auto which = numbers<uint8_t>(150, 0, 3);
	std::vector<double> sums(4);
	for (size_t i = 0; i < 150; i++)
		sums[which[i]] += weights[i];
	all->emplace_back(file, "weights_by_class", extent{3}, extent{64}).in(weights).in(which).out(sums).value(150u);
}

void nearest(examples *all)
{
	auto points = numbers<float>(400, -99, 99), centres = numbers<float>(14, -99, 99);
	std::vector<unsigned> which(200), sizes(7);
	for (size_t i = 0; i < 200; i++) {
		auto distance = [&](size_t c) {
			float x = points[2 * i] - centres[2 * c], y = points[2 * i + 1] - centres[2 * c + 1];
			return x * x + y * y;
		};
		for (unsigned c = 1; c < 7; c++)
			which[i] = distance(c) < distance(which[i]) ? c : which[i];
		sizes[which[i]]++;
	}
	all->emplace_back(file, "nearest", extent{4}, extent{64})
		.in(points)
		.in(centres)
		.out(which)
		.out(sizes)
		.value(200u)
		.value(7u);
}

void find_word(examples *all)
{
	auto text = numbers<uint8_t>(250, 'a', 'b');
	std::vector<uint8_t> word{'a', 'b', 'a'};
	unsigned count = 0;
	for (size_t i = 0; i + 3 <= text.size(); i++)
		count += std::equal(word.begin(), word.end(), text.begin() + long(i));
	all->emplace_back(file, "find_word", extent{4}, extent{64})
		.in(text)
		.in(word)
		.out(std::vector<unsigned>{count})
		.value(250u)
		.value(3u);
}

} // namespace

void add_counting(examples *all)
{
	for (auto add : {bins, classes, nearest, find_word})
		add(all);
}

} // namespace het::ptx::simt
