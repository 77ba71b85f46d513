// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Says which results belong into one table or plot, and how that is labelled. A result whose name ends in a number is a
// point of a curve; what stands between the prefix and the number is the curve's name.
#pragma once

#include "json/json.h"

#include <map>
#include <span>
#include <string>

namespace micro
{

struct shown {
	const char *prefix; // of names
	const char *title;  // of the table
	const char *x;      // label of the axis
	bool x_is_bytes = false;
	const char *y_of_map = nullptr; // labels what curves are named by, if these are numbers and the plot is a map
	bool counts = false;            // x numbers things, such as devices: the plot shows their intervals, from 0 on
};

std::span<const shown> all_shown();

struct shown_point {
	double median = 0, low = 0, high = 0;
};

// Names that are numbers come in the order of these.
struct by_number {
	bool operator()(const std::string &a, const std::string &b) const;
};

struct shown_curves {
	std::string unit;
	std::map<std::string, std::map<double, shown_point>, by_number> curves; // by name and x
};

shown_curves curves_of(const het::json &document, const std::string &prefix);

} // namespace micro
