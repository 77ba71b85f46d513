// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the models' programs have in common: inputs, and comparisons.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace model
{

// Numbers in [low, high) that are the same each time.
inline std::vector<float> some_floats(size_t n, unsigned seed, float low, float high)
{
	std::vector<float> all(n);
	uint32_t state = seed * 2654435761u + 1;
	for (float &f : all) {
		state = state * 1664525u + 1013904223u;
		f = low + (high - low) * float(state >> 8) * 0x1p-24f;
	}
	return all;
}

// Throws std::runtime_error if a number is off by more than @most of its size, and of 1.
template <typename T, typename U>
void compare(const char *program, const std::vector<T> &found, const std::vector<U> &expected, double most)
{
	if (found.size() != expected.size())
		throw std::runtime_error(std::string(program) + ": the results are not as many as expected");
	for (size_t i = 0; i < found.size(); i++) {
		const double e = double(expected[i]), off = std::fabs(double(found[i]) - e);
		if (!(off <= most * std::max(1.0, std::fabs(e))))
			throw std::runtime_error(std::string(program) + ": number " + std::to_string(i) + " is " +
						 std::to_string(double(found[i])) + ", not " + std::to_string(e));
	}
}

} // namespace model
