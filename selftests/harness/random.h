// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes random numbers that are the same everywhere for one seed.
#pragma once

#include <cstdint>

namespace selftest
{

class random_source
{
      public:
	explicit random_source(uint64_t seed) : state_(seed) {}

	// The algorithm is splitmix64.
	uint64_t next()
	{
		uint64_t z = state_ += 0x9e3779b97f4a7c15u;
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		return z ^ (z >> 31);
	}
	// Returns a number below n (n > 0).
	uint64_t below(uint64_t n) { return next() % n; }
	// Returns a number in [low, high].
	uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }
	bool one_in(uint64_t n) { return below(n) == 0; }

      private:
	uint64_t state_;
};

} // namespace selftest
