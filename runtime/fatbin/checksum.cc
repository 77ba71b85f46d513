// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/checksum.h"

#include <bit>

namespace het::fatbin
{

static_assert(std::endian::native == std::endian::little, "fat binaries are little-endian");

namespace
{

constexpr uint64_t primes[] = {
	0, 0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63, 0x27d4eb2f165667c5};
constexpr size_t lanes = 4;

uint64_t turn(uint64_t lane, uint64_t word)
{
	return std::rotl(lane + word * primes[2], 31) * primes[1];
}

// Takes in as many blocks as there are; @at is where they end.
uint64_t mix_blocks(bytes of, size_t &at)
{
	uint64_t lane[lanes] = {primes[1] + primes[2], primes[2], 0, 0 - primes[1]};
	for (uint64_t block[lanes]; load(of, at, block); at += sizeof(block))
		for (size_t i = 0; i < lanes; i++)
			lane[i] = turn(lane[i], block[i]);
	uint64_t sum = std::rotl(lane[0], 1) + std::rotl(lane[1], 7) + std::rotl(lane[2], 12) + std::rotl(lane[3], 18);
	for (uint64_t l : lane)
		sum = (sum ^ turn(0, l)) * primes[1] + primes[4];
	return sum;
}

} // namespace

uint64_t checksum(bytes of)
{
	size_t at = 0;
	uint64_t sum = of.size() < lanes * sizeof(uint64_t) ? primes[5] : mix_blocks(of, at);
	sum += of.size();
	for (uint64_t word; load(of, at, word); at += sizeof(word))
		sum = std::rotl(sum ^ turn(0, word), 27) * primes[1] + primes[4];
	for (uint32_t half; load(of, at, half); at += sizeof(half))
		sum = std::rotl(sum ^ half * primes[1], 23) * primes[2] + primes[3];
	for (; at < of.size(); at++)
		sum = std::rotl(sum ^ uint64_t(of[at]) * primes[5], 11) * primes[1];
	sum = (sum ^ sum >> 33) * primes[2];
	sum = (sum ^ sum >> 29) * primes[3];
	return sum ^ sum >> 32;
}

} // namespace het::fatbin
