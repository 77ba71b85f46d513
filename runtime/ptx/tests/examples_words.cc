// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace het::ptx::simt
{

namespace
{

constexpr const char *file = "words.ptx";

void polynomial(examples *all)
{
	auto in = numbers<float>(100, -9, 9);
	std::vector<float> want;
	for (float x : in)
		want.push_back(((((0.125f * x - 2) * x + 3) * x + 0.25f) * x - 0.5f) * x + 1);
	all->emplace_back(file, "polynomial", extent{2}, extent{64}).in(in).out(want).value(100u);
}

// The host computes it bit by bit, where the kernel has a table.
void crc(examples *all)
{
	constexpr unsigned length = 11;
	auto in = numbers<uint8_t>(32 * length, 0, 255);
	std::vector<unsigned> want;
	for (size_t t = 0; t < 32; t++) {
		unsigned c = ~0u;
		for (size_t bit = 0; bit < 8 * length; bit++) {
			c ^= in[t * length + bit / 8] >> bit % 8 & 1;
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
		}
		want.push_back(~c);
	}
	all->emplace_back(file, "crc", extent{1}, extent{32}).in(in).out(want).value(length);
}

void quarter_rounds(examples *all)
{
	auto v = numbers<unsigned>(4 * 64, 0, 0xffffffff), want = v;
	for (size_t i = 0; i < want.size(); i += 4)
		for (int r = 0; r < 5; r++)
			for (int turn : {16, 12, 8, 7}) {
				unsigned *s = &want[i];
				bool first = turn == 16 || turn == 8;
				s[first ? 0 : 2] += s[first ? 1 : 3];
				unsigned &other = s[first ? 3 : 1];
				other = std::rotl(other ^ s[first ? 0 : 2], turn);
			}
	all->emplace_back(file, "quarter_rounds", extent{2}, extent{32}).inout(v, want).value(5u);
}

void turn_bits(examples *all)
{
	auto in = numbers<unsigned>(96, 0, 0xffffffff);
	std::vector<unsigned> want(96);
	for (unsigned i = 0; i < 96; i++)
		for (unsigned b = 0; b < 32; b++)
			want[i / 32 * 32 + b] |= (in[i] >> b & 1) << i % 32;
	all->emplace_back(file, "turn_bits", extent{3}, extent{32}).in(in).out(want);
}

void sieve(examples *all)
{
	constexpr unsigned n = 1600;
	std::vector<unsigned> want(n / 32);
	for (unsigned p = 2; p < 66; p++)
		for (unsigned m = p * p; m < n; m += p)
			want[m / 32] |= 1u << m % 32;
	all->emplace_back(file, "sieve", extent{2}, extent{32}).out(want).value(n);
}

void blocks(examples *all)
{
	auto in = numbers<uint16_t>(192, 0, 60000), want = in;
	for (long b = 0; b < 192; b += 64)
		std::reverse(want.begin() + b, want.begin() + b + 64);
	all->emplace_back(file, "reverse_block", extent{3}, extent{64}, 128).in(in).out(want);

	auto words = numbers<int>(96, -99, 99);
	std::vector<int> differences;
	for (size_t i = 0; i < 96; i++) {
		int v = words[i];
		for (int k = 0; k < 5; k++)
			v = v * 3 + 1;
		differences.push_back(v - (words[i / 32 * 32 + 31 - i % 32] ^ 0x55));
	}
	all->emplace_back(file, "roles", extent{3}, extent{96}).in(words).out(differences);
}

void last_block(examples *all)
{
	auto in = numbers<unsigned>(160, 0, 999);
	std::vector<unsigned> parts(5);
	for (size_t i = 0; i < in.size(); i++)
		parts[i / 32] += in[i];
	std::vector<unsigned> total{std::accumulate(parts.begin(), parts.end(), 0u)};
	all->emplace_back(file, "last_block", extent{5}, extent{32}).in(in).out(parts).out(total);
}

} // namespace

void add_words(examples *all)
{
	for (auto add : {polynomial, crc, quarter_rounds, turn_bits, sieve, blocks, last_block})
		add(all);
}

} // namespace het::ptx::simt
