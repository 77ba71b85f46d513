// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libhet is held to these figures: each is measured as a ratio or an amount, and stands beside what it must be.
#pragma once

#include "common/report.h"
#include "common/stats.h"

#include <string>
#include <vector>

namespace bench
{

struct figure {
	std::string what;
	ratio value;      // amounts have an empty interval
	std::string unit; // "x" for ratios
	enum class bound { at_most, at_least, none } must_be = bound::none;
	double limit = 0;
	std::string why_missing; // why the figure was not measured, or "" if it was

	bool ok() const;
};

inline figure must(figure f, figure::bound bound, double limit)
{
	f.must_be = bound;
	f.limit = limit;
	return f;
}

struct figure_options {
	bool quick = false;
	std::string device; // beside the host device: "opencl0", or "" where there is none
};

// Each of these measures a group of figures, in child processes of its own.
std::vector<figure> touch_figures(const figure_options &o, report &out);
std::vector<figure> matvec_figures(const figure_options &o, report &out);
std::vector<figure> call_figures(const figure_options &o, report &out);
std::vector<figure> memory_figures(const figure_options &o, report &out);

} // namespace bench
