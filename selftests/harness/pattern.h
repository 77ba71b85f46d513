// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The contents name their place and their origin: a byte from elsewhere, or from before, is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace selftest
{

// Computes eight bytes at once. The kernel source in opencl_machine.cc computes the same.
inline uint64_t pattern_word(uint64_t number, uint32_t seed)
{
	uint64_t x = number * 0x9e3779b97f4a7c15u + seed * 0xbf58476d1ce4e5b9u;
	x ^= x >> 32;
	x *= 0x94d049bb133111ebu;
	return x ^ (x >> 29);
}

inline uint8_t pattern_byte(uint64_t position, uint32_t seed)
{
	return uint8_t(pattern_word(position / 8, seed) >> (position % 8 * 8));
}

inline void fill_pattern(uint8_t *base, size_t from, size_t n, uint32_t seed)
{
	size_t i = from, end = from + n;
	for (; i < end && i % 8; i++)
		base[i] = pattern_byte(i, seed);
	for (; i + 8 <= end; i += 8) {
		uint64_t word = pattern_word(i / 8, seed);
		memcpy(base + i, &word, sizeof word);
	}
	for (; i < end; i++)
		base[i] = pattern_byte(i, seed);
}

// Changes the bytes by exclusive or with the pattern.
inline void mix_pattern(uint8_t *base, size_t from, size_t n, uint32_t seed)
{
	size_t i = from, end = from + n;
	for (; i < end && i % 8; i++)
		base[i] ^= pattern_byte(i, seed);
	for (; i + 8 <= end; i += 8) {
		uint64_t word;
		memcpy(&word, base + i, sizeof word);
		word ^= pattern_word(i / 8, seed);
		memcpy(base + i, &word, sizeof word);
	}
	for (; i < end; i++)
		base[i] ^= pattern_byte(i, seed);
}

} // namespace selftest
