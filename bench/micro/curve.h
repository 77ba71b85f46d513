// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A quantity that was measured at several places of one variable.
#pragma once

#include "common/stats.h"

#include <vector>

namespace micro
{

struct point {
	double x = 0;
	bench::series samples;

	double median() const { return bench::median(samples); }
};

using curve = std::vector<point>; // by x

} // namespace micro
