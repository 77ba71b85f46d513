// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

#include <algorithm>
#include <numeric>

namespace het::ptx::simt
{

namespace
{

constexpr const char *file = "scans.ptx";

void sums(examples *all)
{
	auto in = numbers<int>(192, -99, 99), want = in;
	for (size_t i = 0; i < in.size(); i++)
		want[i] += i % 32 ? want[i - 1] : 0;
	all->emplace_back(file, "scan_warps", extent{3}, extent{64}).in(in).out(want);

	auto many = numbers<unsigned>(512, 0, 999);
	std::vector<unsigned> before(512), of_blocks(4), firsts{5, 600, 70, 8}, moved = many;
	for (size_t i = 0; i < 512; i++) {
		before[i] = i % 128 ? before[i - 1] + many[i - 1] : 0;
		of_blocks[i / 128] += many[i];
		moved[i] += firsts[i / 128];
	}
	all->emplace_back(file, "scan_tree", extent{4}, extent{64}).in(many).out(before).out(of_blocks);
	all->emplace_back(file, "add_firsts", extent{4}, extent{128}).inout(many, moved).in(firsts);
}

void segments(examples *all)
{
	auto in = numbers<int>(128, -9, 9), want = in;
	auto flags = numbers<uint8_t>(128, 0, 5);
	for (size_t i = 0; i < in.size(); i++) {
		flags[i] = flags[i] == 0;
		want[i] += i % 32 && !flags[i] ? want[i - 1] : 0;
	}
	all->emplace_back(file, "scan_segments", extent{4}, extent{32}).in(in).in(flags).out(want);
}

void compact(examples *all)
{
	auto in = numbers<int>(300, -9, 9);
	std::vector<int> want(384);
	std::vector<unsigned> counts(3);
	for (size_t i = 0; i < in.size(); i++)
		if (in[i] > 0)
			want[i / 128 * 128 + counts[i / 128]++] = in[i];
	all->emplace_back(file, "compact", extent{3}, extent{128}).in(in).out(want).out(counts).value(300u);
}

void reductions(examples *all)
{
	auto a = numbers<double>(500, -9, 9), b = numbers<double>(500, -9, 9, 2);
	std::vector<double> product{std::inner_product(a.begin(), a.end(), b.begin(), 0.0)};
	all->emplace_back(file, "dot", extent{3}, extent{64}, 64 * 8).in(a).in(b).out(product).value(500u);

	auto in = numbers<unsigned>(400, 7, 900);
	auto least = std::min_element(in.begin(), in.end());
	std::vector<uint64_t> was{~uint64_t{0}}, want{uint64_t{*least} << 32 | uint64_t(least - in.begin())};
	all->emplace_back(file, "find_least", extent{2}, extent{64}).in(in).inout(was, want).value(400u);
}

void runs(examples *all)
{
	auto in = numbers<uint8_t>(200, 0, 1);
	std::vector<unsigned> lengths(200);
	for (size_t i = 0, begin = 0; i < in.size(); i++) {
		begin = i && in[i] == in[i - 1] ? begin : i;
		lengths[begin]++;
	}
	all->emplace_back(file, "runs", extent{4}, extent{64}).in(in).out(lengths).value(200u);
}

} // namespace

void add_scans(examples *all)
{
	for (auto add : {sums, segments, compact, reductions, runs})
		add(all);
}

} // namespace het::ptx::simt
