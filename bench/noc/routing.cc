// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/routing.h"

#include <algorithm>
#include <stdexcept>

namespace noc
{

namespace
{

const char *const names[] = {"xy", "yx", "o1turn", "xy-z", "yx-z", "o1turn-z", "xy-yx-z"};

uint8_t towards(const router &at, const router &to, bool x_first)
{
	const bool x_done = at.x == to.x, y_done = at.y == to.y;
	if (!x_done && (x_first || y_done))
		return to.x > at.x ? east : west;
	if (y_done)
		return route_table::none;
	return to.y > at.y ? south : north;
}

// Returns the link down of a core's router, or null.
std::vector<const link *> links_down(const topology &t)
{
	std::vector<const link *> down(t.routers.size());
	for (const link &l : t.links)
		if (t.routers[l.from].layer < t.routers[l.to].layer)
			down[l.from] = &l;
	return down;
}

// A packet that travels in @layer goes there with its first hop, and leaves it with its last one.
uint8_t port_for(const topology &t, const std::vector<const link *> &down, unsigned at, const terminal &to,
		 unsigned layer, bool x_first)
{
	if (at == to.router)
		return to.port;
	const router &here = t.routers[at], &end = t.routers[to.router];
	if (here.layer != layer)
		return here.layer < layer ? down[at]->from_port : route_table::none;
	if (end.layer == layer)
		return towards(here, end, x_first);
	if (end.layer > layer)
		return route_table::none;
	const link &up = *down[to.router];
	return at == up.to ? up.to_port : towards(here, t.routers[up.to], x_first);
}

// Two orders of dimensions need VCs of their own on the links of one dimension alone: y links of those that go y first
// come before x links, and these before y links of those that go x first. What is first or last on every way is in no
// cycle either. Among the cores x links stay divided, because beyond saturation packets of both orders hold each other
// up there; in the interposer that costs less than memory packets gain, which go y first alone.
std::vector<uint16_t> shared_by_orders(const topology &t)
{
	constexpr unsigned along_x = 1u << east | 1u << west, along_y = 1u << south | 1u << north;
	std::vector<uint16_t> shared;
	for (const router &r : t.routers)
		shared.push_back(uint16_t(((1u << r.ports) - 1) & ~(r.layer == 0 ? along_x | along_y : along_y)));
	return shared;
}

} // namespace

route_table routes_of(const topology &t, routing how)
{
	const bool two = t.routers.back().layer > 0;
	const bool both_orders = how == routing::o1turn || how == routing::o1turn_z;
	if (two !=
	    (how == routing::xy_z || how == routing::yx_z || how == routing::o1turn_z || how == routing::xy_yx_z))
		throw std::invalid_argument(t.name + " is no network for " + names[size_t(how)]);
	route_table table;
	table.routes = (two ? 2 : 1) * (both_orders ? 2 : 1);
	table.classes = both_orders ? 2 : 1;
	table.routers = unsigned(t.routers.size());
	table.terminals = unsigned(t.terminals.size());
	if (how == routing::o1turn_z)
		table.shared = shared_by_orders(t);
	table.ports.resize(size_t(table.routes) * table.routers * table.terminals);
	const std::vector<const link *> down = links_down(t);
	for (unsigned route = 0; route < table.routes; route++) {
		const bool x_first = how == routing::xy || how == routing::xy_z ||
				     (how == routing::o1turn && route == 0) ||
				     (how == routing::xy_yx_z && route == 0) ||
				     (how == routing::o1turn_z && route >= through_cores_x_first);
		for (unsigned r = 0; r < table.routers; r++)
			for (unsigned d = 0; d < table.terminals; d++)
				table.port(route, r, d) =
					port_for(t, down, r, t.terminals[d], two ? layer_of(route) : 0, x_first);
	}
	return table;
}

routing routing_named(const std::string &name)
{
	const auto *at = std::find(std::begin(names), std::end(names), name);
	if (at == std::end(names))
		throw std::invalid_argument("no routing is called " + name);
	return routing(at - std::begin(names));
}

std::vector<std::string> routing_names()
{
	return {std::begin(names), std::end(names)};
}

} // namespace noc
