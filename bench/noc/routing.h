// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Routing functions are tables: the output port for each route, router and destination. A route is what a packet
// chooses before it is injected: the order of dimensions under O1TURN, the layer in a network of two, or both.
#pragma once

#include "noc/topology.h"

#include <string>
#include <vector>

namespace noc
{

enum class routing : uint8_t { xy, yx, o1turn, xy_z, yx_z, o1turn_z, xy_yx_z };

// These are for a network with two layers; under O1TURN-Z with the order of dimensions that the name has, y first if
// none.
enum layer_route : uint8_t { through_cores, through_interposer, through_cores_x_first, through_interposer_x_first };

// Through a double butterfly packets go east first or west first, whichever is nearer; nobody chooses that.
constexpr uint8_t through_interposer_east_first = 1, through_interposer_west_first = 3;

constexpr unsigned layer_of(unsigned route)
{
	return route & 1;
}

struct route_table {
	static constexpr uint8_t none = 255;

	unsigned routes = 1;
	// So many sets of VCs have routes of their own: O1TURN's two orders may not share any.
	unsigned classes = 1;
	unsigned routers = 0, terminals = 0;
	std::vector<uint8_t> ports;
	// Of each router, a bit for each output whose VCs belong to all classes of routes, because no cycle of channels
	// goes through it; then the terminals' own channels belong to all as well. It is empty where all are divided.
	std::vector<uint16_t> shared;
	// In a double butterfly, of each source and destination, the route through the interposer; else it is empty.
	std::vector<uint8_t> nearer;

	uint8_t &port(unsigned route, unsigned router, unsigned terminal)
	{
		return ports[(route * routers + router) * terminals + terminal];
	}
	uint8_t port(unsigned route, unsigned router, unsigned terminal) const
	{
		return ports[(route * routers + router) * terminals + terminal];
	}
	unsigned class_of(unsigned route) const { return route * classes / routes; }
	// Return the route that a packet takes which chose @route, and whether one can be taken at all.
	uint8_t taken(unsigned route, unsigned source, unsigned destination) const
	{
		if (nearer.empty())
			return uint8_t(route);
		return layer_of(route) == 0 ? uint8_t(through_cores) : nearer[source * terminals + destination];
	}
	bool is_taken(unsigned route, unsigned source, unsigned destination) const
	{
		return taken(route, source, destination) == route;
	}
	bool is_shared(unsigned router, unsigned output) const
	{
		return !shared.empty() && (shared[router] >> output & 1);
	}
};

// It throws std::invalid_argument where topology and routing do not fit.
route_table routes_of(const topology &t, routing how);

// Throws std::invalid_argument.
routing routing_named(const std::string &name);
std::vector<std::string> routing_names();

} // namespace noc
