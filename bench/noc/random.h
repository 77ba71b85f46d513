// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These random numbers are the same on every machine: splitmix64.
#pragma once

#include <cstdint>

namespace noc
{

class random_stream
{
      public:
	// Streams of one seed are independent of each other.
	explicit random_stream(uint64_t seed = 0, uint64_t stream = 0) : state_(mix(seed ^ mix(stream + 1))) {}

	uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
	// Returns a number in [0, @n), with a bias below n / 2^32.
	uint32_t below(uint32_t n) { return uint32_t((next() >> 32) * n >> 32); }
	// Returns a number in [0, 1).
	double unit() { return double(next() >> 11) * 0x1p-53; }

      private:
	static uint64_t mix(uint64_t z)
	{
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		return z ^ (z >> 31);
	}

	uint64_t state_;
};

} // namespace noc
