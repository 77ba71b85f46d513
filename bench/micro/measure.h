// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what one unit of work takes: repeats until the median is known well enough, and refuses times that can't be
// true.
#pragma once

#include "common/stats.h"

#include <cstdint>
#include <functional>
#include <string>

namespace micro
{

struct rules {
	double precision = 0.01; // half of the median's interval over the median, at which it is enough
	double seconds = 0.5;    // for one figure
	unsigned least = 9;      // samples
	unsigned most = 200;
	double shortest_ns = 1e6; // of a launch that is timed
	uint64_t least_work = 1;  // in units: where the search for a launch that takes so long begins
	uint64_t most_work = 1u << 28;
};

struct figure {
	bench::ratio at; // the median with its interval
	bench::series samples;
	uint64_t work = 0;    // units in the shorter one of two launches
	bool reached = false; // the precision was reached before the time was spent
	std::string trouble;  // why there is no value, or ""
	std::string cure;

	bool there() const { return trouble.empty(); }
};

// Returns how many ns @work units took by the device's clock.
using timed_work = std::function<double(uint64_t work)>;
using clock_of = std::function<double()>; // seconds

// Returns the ns of one unit, from the difference of launches with once and four times the work, so that what a launch
// costs by itself counts as nothing. A time that does not grow with the work is refused.
figure per_unit(const timed_work &run, const rules &how, const clock_of &now);

// Returns the median of what @sample returns.
figure repeated(const std::function<double()> &sample, const rules &how, const clock_of &now);

// Returns the smallest step of a clock that gave these times, in their unit; 0 if they are all alike.
double tick_of(bench::series times);

} // namespace micro
