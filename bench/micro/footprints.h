// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Sweeps over footprints, which grow evenly; where the latency has knees, there are more of them.
#pragma once

#include "micro/curve.h"
#include "micro/test.h"

namespace micro
{

struct footprint_range {
	size_t least, most; // bytes
	size_t spacing;     // of places; footprints are multiples of it
	unsigned an_octave; // how many footprints
};

std::vector<size_t> footprints_of(const footprint_range &range);

// Takes the samples of a footprint; if the figure has trouble, it has none.
using measured_footprint = std::function<figure(size_t footprint, point &p)>;

// Records the figures as points of the curve @name, and returns those that are there.
curve sweep_footprints(context &c, const std::string &name, const footprint_range &range,
		       const measured_footprint &measure);

} // namespace micro
