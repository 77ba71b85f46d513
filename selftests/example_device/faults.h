// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A test sets what is to fail. It finds the variable in the library by its name.
#pragma once

#include <atomic>

namespace example
{

// So many calls of each kind go well, and then one fails. None fails if the count is negative.
struct fault_counts {
	std::atomic<int> submits{-1}, kernels{-1}, reads{-1}, writes{-1};
	// Something has failed for good, and nothing will work any longer.
	std::atomic<bool> lost{false};
};

extern "C" __attribute__((visibility("default"))) fault_counts het_example_faults;

inline bool is_hit(std::atomic<int> &left)
{
	int n = left.load();
	while (n >= 0 && !left.compare_exchange_weak(n, n - 1))
		;
	return n == 0;
}

} // namespace example
