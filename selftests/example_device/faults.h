// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a test lets fail. It finds the variable in the library by its name.
#pragma once

#include <atomic>

namespace example
{

// Of each kind so many go well, then one fails; negative: none fails.
struct fault_counts {
	std::atomic<int> kernels{-1}, reads{-1}, writes{-1};
	// Nothing will work any longer, when something has failed.
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
