// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds levels in a curve that rises in steps, such as the latency of memory over footprints. The curve is taken for a
// sum: a height, and for each knee a rise times the share of loads that miss at such a footprint.
#pragma once

#include "micro/curve.h"

#include <cstdint>
#include <string>
#include <vector>

namespace micro
{

struct alternative {
	std::string model;
	double size = 0, badness = 0;
};

struct knee {
	double size = 0, low = 0, high = 0; // with the interval of 95 %
	double rise = 0;                    // of the curve, over all of the knee
	double confidence = 0;              // that the size is right, within one step
	std::string model;                  // of the misses, that fits best
	double badness = 0;                 // of the whole curve with that
	double misfit = 0;                  // of points near it from the model, over what their scatter allows
	double spread = 0;                  // of what was measured at one footprint near the knee, as a share
	bool sharp = false;                 // misses begin all at once: it is there, whatever model fits
	bool falls = false;                 // near it a larger footprint took clearly less time
	bool disturbed = false;             // one of these two says that nothing can be said
	std::vector<alternative> others;    // models, best first
};

struct level {
	bench::ratio height;        // with the interval of its median
	size_t first = 0, last = 0; // points of the curve that have it, if there are any: first <= last
	bool flat = false;          // there are
};

struct levels {
	std::vector<knee> knees;    // by size
	std::vector<level> heights; // one more: before, between and behind them
};

struct level_rules {
	unsigned resamples = 60;
	double least_rise = 0.12;  // of a knee, as a share of the height before it
	double most_spread = 0.15; // above it a knee counts as disturbed
	double one_step = 1.0 / 6; // octaves: sizes that are no further apart count as equal
};

levels find_levels(const curve &c, uint64_t seed, const level_rules &how = {});

} // namespace micro
