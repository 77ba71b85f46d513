// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The ceiling is what no choice of routes can exceed: the linear program in which every flow is split freely over its
// routes, and no channel carries more than it can. It is solved by descent, and a bound from its dual says how far off
// the result is.
#pragma once

#include "noc/routing.h"
#include "noc/topology.h"

#include <cstdint>
#include <vector>

namespace noc
{

// A flow has one source and destination, and so many flits a cycle where every core sends one.
struct flow {
	uint16_t source = 0, destination = 0;
	double demand = 0;
	uint8_t route = 0; // the only one, if it is not free
	bool free = false; // to take any of the network's routes
};

struct ceiling {
	double rate = 0;  // flits a core and cycle that the split below carries, with the fullest channel full
	double bound = 0; // that no split carries more than
	unsigned routes = 1, terminals = 0;
	// These are the shares of each route, for each source and destination with a free flow; the others' are 0.
	std::vector<float> shares;

	const float *of(unsigned source, unsigned destination) const
	{
		return &shares[(size_t(source) * terminals + destination) * routes];
	}
};

// It ends where @bound / @rate is below 1 + @gap, or nothing descends any more.
ceiling find_ceiling(const topology &t, const route_table &routes, const std::vector<flow> &flows, double gap = 0.005);

} // namespace noc
