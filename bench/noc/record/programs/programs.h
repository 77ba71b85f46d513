// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs of the kinds of PARSEC and SPLASH-2, small and written anew. Each fills its memory, runs its threads, and
// says whether what they computed is right.
#pragma once

#include <cstddef>
#include <cstdint>

namespace noc::record
{

struct program {
	const char *name;
	unsigned size; // that is usual
	const char *meaning;
	bool (*run)(size_t size, unsigned threads);
};

bool black_scholes(size_t options, unsigned threads);
bool lu(size_t rows, unsigned threads);
bool fft(size_t points, unsigned threads);
bool radix_sort(size_t keys, unsigned threads);
bool stencil(size_t side, unsigned threads);
bool n_body(size_t bodies, unsigned threads);
bool spmv(size_t rows, unsigned threads);
bool k_median(size_t points, unsigned threads);

inline constexpr program programs[] = {
	{"black-scholes", 16384, "options", black_scholes},
	{"lu", 128, "rows", lu},
	{"fft", 16384, "points, a power of 2", fft},
	{"radix-sort", 32768, "keys", radix_sort},
	{"stencil", 256, "rows", stencil},
	{"n-body", 512, "bodies", n_body},
	{"spmv", 8192, "rows", spmv},
	{"k-median", 2048, "points", k_median},
};

// The same numbers for the same seed.
struct numbers {
	uint64_t state;
	uint64_t next()
	{
		state = state * 6364136223846793005u + 1442695040888963407u;
		return state >> 33;
	}
	double unit() { return double(next() & 0xffffff) / double(0x1000000); }
};

} // namespace noc::record
