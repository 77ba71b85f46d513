// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels whose time is that of arithmetic.
#pragma once

#include "micro/target.h"

#include <span>

namespace micro
{

struct operation {
	const char *name;        // "float fma"
	const kernel &one_chain; // out, a, b, steps
	const kernel &four_chains;
	unsigned each = 1; // instructions of one operation that need each other
	int a = 1, b = 1;  // what it is done with
	bool exact = true; // all devices round alike
	bool needs_double = false;
};

std::span<const operation> all_operations();

constexpr unsigned operations_of_step = 128; // of all chains together
constexpr unsigned operations_of_work = 4;   // of the kernel below
constexpr unsigned words_of_round = 4;

// Takes from, sums, mask, threads, first, rounds, work, a, b: thread t does the work with word t + k * threads for each
// k of the words of its rounds.
extern const kernel roofline_kernel;

} // namespace micro
