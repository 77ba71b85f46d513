// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

#include <algorithm>
#include <bit>

namespace het::ptx::simt
{

namespace
{

constexpr const char *file = "vectors.ptx";

void wide(examples *all)
{
	auto in = numbers<float>(400, -99, 99), want = in;
	for (size_t i = 0; i < 400; i++)
		want[396 - i / 4 * 4 + i % 4] = in[i];
	all->emplace_back(file, "copy_16", extent{2}, extent{64}).in(in).out(want).value(100u);

	auto pairs = numbers<double>(128, -99, 99), scaled = pairs;
	for (size_t i = 0; i < 128; i += 2) {
		scaled[i] = pairs[i + 1] * 2.5;
		scaled[i + 1] = pairs[i];
	}
	all->emplace_back(file, "scale_pairs", extent{2}, extent{32}).in(pairs).out(scaled).value(2.5);

	auto words = numbers<int64_t>(128, -99999, 99999);
	std::vector<int64_t> sums(64);
	for (size_t i = 0; i < 64; i++)
		sums[i] = words[2 * i] * 3 + words[2 * i + 1];
	all->emplace_back(file, "wide_sums", extent{2}, extent{32}).in(words).out(sums);
}

void narrow(examples *all)
{
	auto picture = numbers<uint8_t>(400, 0, 255);
	std::vector<uint8_t> grey(100);
	for (size_t i = 0; i < 100; i++)
		grey[i] = uint8_t((picture[4 * i] * 77 + picture[4 * i + 1] * 150 + picture[4 * i + 2] * 29) >> 8);
	all->emplace_back(file, "grey", extent{2}, extent{64}).in(picture).out(grey).value(100u);

	auto shorts = numbers<int16_t>(256, -9999, 9999);
	std::vector<int> widened(256);
	for (size_t i = 0; i < 256; i++)
		widened[i] = shorts[i] * int(i % 4 + 1);
	all->emplace_back(file, "widen", extent{2}, extent{32}).in(shorts).out(widened);
}

void structures(examples *all)
{
	auto words = numbers<int>(500, 0, 3);
	std::vector<int> want;
	for (size_t i = 0; i < 500; i += 5) {
		want.push_back(words[i + 4] * 2 + (words[i + 3] > 1));
		words[i + 3] = std::bit_cast<int>(float(words[i + 3]));
	}
	all->emplace_back(file, "kinds", extent{2}, extent{64}).in(words).out(want).value(100u);
}

void irregular(examples *all)
{
	constexpr unsigned n = 120;
	auto in = numbers<float>(5000, -99, 99);
	auto where = numbers<unsigned>(n, 0, 4999);
	std::vector<float> gathered;
	for (unsigned at : where)
		gathered.push_back(in[at]);
	all->emplace_back(file, "gather", extent{2}, extent{64}).in(in).in(where).out(gathered).value(n);

	std::vector<unsigned> places;
	auto pairs = numbers<uint16_t>(2 * n, 0, 60000);
	std::vector<uint16_t> scattered(2 * 7 * n);
	for (unsigned i = 0; i < n; i++) {
		places.push_back(i * 7 % (7 * n) + i % 7);
		scattered[2 * places[i]] = pairs[2 * i];
		scattered[2 * places[i] + 1] = pairs[2 * i + 1];
	}
	all->emplace_back(file, "scatter", extent{2}, extent{64}).in(pairs).in(places).out(scattered).value(n);

	auto bytes = numbers<uint8_t>(70000, 0, 255);
	for (unsigned stride : {1u, 32u, 700u}) {
		std::vector<unsigned> want(64);
		for (unsigned i = 0; i < 64; i++)
			for (unsigned k = 1; k <= 4; k++)
				want[i] = want[i] * 31 + bytes[i * stride * k % 70000];
		all->emplace_back(file, "strides", extent{2}, extent{32})
			.in(bytes)
			.out(want)
			.value(stride)
			.value(70000u);
	}
}

void mixes(examples *all)
{
	auto v = numbers<uint64_t>(64, 0, int64_t{1} << 31), want = v;
	for (auto &x : want) {
		x += 0x9e3779b97f4a7c15;
		x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
		x = (x ^ x >> 27) * 0x94d049bb133111eb;
		x ^= x >> 31;
	}
	all->emplace_back(file, "mix_words", extent{1}, extent{64}).inout(v, want);
}

} // namespace

void add_vectors(examples *all)
{
	for (auto add : {wide, narrow, structures, irregular, mixes})
		add(all);
}

} // namespace het::ptx::simt
