// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What all examples of optimisation do: measure a stage, and tell what was predicted of it.
#pragma once

#include "micro/examples.h"
#include "micro/test.h"

namespace micro
{

// One stage of an example, as it is shown.
struct stage {
	std::string example, name;
	double amount = 0; // bytes, or operations
	const char *unit = "GB/s";
	double ceiling = 0;      // of the device's own, in that unit
	double predicted_ns = 0; // 0: not known
};

class example_runner
{
      public:
	static constexpr uint32_t group = 256;

	explicit example_runner(context &c) : c_(c), known_(ceilings_of(c.out.document(), c.claimed_cache())) {}

      protected:
	// @launch returns how many ns a run took, and has looked at what it left.
	void measure(const stage &s, const std::function<double()> &launch);
	// Returns a power of two.
	size_t bytes(size_t mega_bytes_of_gpu) const;
	// Each of @n words gets content_of() of its number.
	void fill(const memory &m, uint32_t n);
	static void expect(bool right, const char *what);

	context &c_;
	const ceilings known_;
};

} // namespace micro
