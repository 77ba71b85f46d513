// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This finds the rate at which a network saturates, by bisection to 1 %, in the three definitions that papers use.
#pragma once

#include "noc/simulation.h"

namespace noc
{

struct saturation {
	double by_latency = 0;    // highest rate with a mean latency below 3 × zero load
	double by_accepted = 0;   // highest rate of which 95 % are accepted
	double peak_accepted = 0; // highest accepted rate, whatever is offered
	// These are of the run at the rate by latency: of all packets, and of the slowest source and destination.
	double p99 = 0, slowest_flow = 0;
};

// All runs have one seed: the same random numbers at every rate.
saturation find_saturation(const configuration &c);

} // namespace noc
