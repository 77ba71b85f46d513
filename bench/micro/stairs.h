// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Fits a sum of knees to a curve: a search for the sizes and miss models, and least squares for the heights.
#pragma once

#include "micro/misses.h"

#include <cstddef>
#include <vector>

namespace micro
{

struct stair {
	const miss_model *model = nullptr;
	double size = 0, rise = 0;
};

struct staircase {
	double base = 0;
	std::vector<stair> stairs; // by size
	double badness = 0;
};

// Has a curve's points, and how far one may lie from the sum.
struct fitted_points {
	std::vector<double> x, y, sigma;
};

// Adds the stair that helps most, again and again, until none makes the badness less by @worth, or rises by @least_rise
// of the height before it.
staircase climb(const fitted_points &p, double worth, double least_rise);

// Looks for a better size and model of each stair near those that it has, in steps of 1/48 octave.
void settle(const fitted_points &p, staircase &s);

// Does so with each two neighbours at once, which takes longer.
void settle_pairs(const fitted_points &p, staircase &s);

// Solves for the heights, and returns the badness.
double solve(const fitted_points &p, staircase &s);

double height_at(const staircase &s, double x);

} // namespace micro
