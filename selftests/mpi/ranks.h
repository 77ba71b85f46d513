// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Two ranks whose arrays live on devices. Rank 0 prints KTAP; a case has passed where it has on both.
#pragma once

#include <cstdint>
#include <functional>
#include <het.hpp>
#include <mpi.h>
#include <string>
#include <vector>

namespace mpi_test
{

using numbers = std::vector<uint32_t>;

// This value stands at @i after a fill with @seed.
constexpr uint32_t value_at(uint32_t seed, size_t i)
{
	return seed * 2654435761u + uint32_t(i) * 40503u;
}

// Kernels on the device of this rank.
class device
{
      public:
	device();

	// The array is on the device afterwards: the host has touched nothing.
	void fill(uint32_t *p, size_t n, uint32_t seed);
	void fill(numbers &x, uint32_t seed) { fill(x.data(), x.size(), seed); }
	het::event begin_fill(uint32_t *p, size_t n, uint32_t seed);
	// Counts numbers that are not as after the fill, where they are. @first is the place of p[0] in the fill.
	uint32_t wrong(const uint32_t *p, size_t n, uint32_t seed, size_t first = 0);
	// Returns whether the kernel waits: another one, which is launched after it, is over before.
	bool lets_wait(const het::event &kernel);
	// Arrays have copies on the device: it does not work in place.
	bool is_apart() const;
	het::event begin_sum(const uint32_t *p, size_t n, std::vector<uint32_t> &sum);

      private:
	het::program program_;
	het::kernel fill_, wrong_, sum_;
	het::queue queue_;
};

struct ranks {
	device on;
	int me, other;
};

struct test_case {
	const char *name;
	std::function<bool(ranks &)> run;
};

// Prints results; false if a case has failed. The caller has @more cases of its own.
bool run_all(ranks &r, const std::vector<test_case> &cases, size_t more);

} // namespace mpi_test
