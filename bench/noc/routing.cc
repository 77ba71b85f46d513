// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/routing.h"

#include <algorithm>
#include <stdexcept>

namespace noc
{

namespace
{

const char *const names[] = {"xy", "yx", "o1turn", "xy-z", "yx-z", "o1turn-z", "xy-yx-z"};

uint8_t through_mesh(const router &at, const router &to, bool x_first)
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

// Returns the output of a double butterfly's router for packets that go @first, which is east or west, as long as they
// need what lies there, and then back. No packet turns twice: all bits of a row can be set on the way to one end.
uint8_t through_butterfly(const router &at, const router &to, unsigned columns, mesh_port first)
{
	const auto bits_between = [&](unsigned begin, unsigned end) {
		unsigned bits = 0;
		for (unsigned column = begin; column < end; column++)
			bits |= 1u << row_bit_behind(column, columns);
		return bits;
	};
	const unsigned wrong = at.y ^ to.y; // bits of the row
	const auto output = [&](mesh_port way) {
		const unsigned next = 1u << row_bit_behind(way == east ? at.x : at.x - 1u, columns);
		if (!(wrong & next))
			return uint8_t(way);
		return way == east ? across_east : across_west;
	};
	const bool goes_east = first == east;
	const unsigned ahead = goes_east ? bits_between(at.x, columns - 1) : bits_between(0, at.x);
	const unsigned on_the_way_back = goes_east ? bits_between(to.x, at.x) : bits_between(at.x, to.x);
	const bool beyond = goes_east ? at.x < to.x : at.x > to.x;
	if (beyond || (wrong & ahead & ~on_the_way_back) != 0)
		return output(first);
	if (at.x == to.x || (wrong & ~on_the_way_back) != 0)
		return route_table::none; // the bits that are left are set in the other direction alone
	return output(goes_east ? west : east);
}

// These are ways through the layers of one network.
class ways
{
      public:
	explicit ways(const topology &t) : t_(t), down_(links_down(t)), columns_(t.routers.back().x + 1u) {}

	// A packet that travels in @layer goes there with its first hop, and leaves it with its last one.
	uint8_t port(unsigned at, const terminal &to, unsigned layer, bool x_first) const
	{
		if (at == to.router)
			return to.port;
		const router &here = t_.routers[at], &end = t_.routers[to.router];
		if (here.layer > layer)
			return route_table::none;
		if (here.layer < layer)
			return port(down_[at]->to, to, layer, x_first) == route_table::none ? route_table::none
											    : down_[at]->from_port;
		if (end.layer == layer)
			return towards(here, end, x_first);
		if (end.layer > layer)
			return route_table::none;
		const link &up = *down_[to.router];
		return at == up.to ? up.to_port : towards(here, t_.routers[up.to], x_first);
	}

      private:
	// In a double butterfly x first stands for west first.
	uint8_t towards(const router &here, const router &end, bool x_first) const
	{
		if (here.layer == 1 && t_.below == interposer::double_butterfly)
			return through_butterfly(here, end, columns_, x_first ? west : east);
		return through_mesh(here, end, x_first);
	}

	const topology &t_;
	const std::vector<const link *> down_; // of each core's router
	const unsigned columns_;
};

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

// East links of those that go east first come before west links, and these before east links of those that go west
// first: west links need not be divided.
std::vector<uint16_t> shared_in_butterfly(const topology &t)
{
	std::vector<uint16_t> shared;
	for (const router &r : t.routers) {
		const unsigned all = (1u << r.ports) - 1;
		shared.push_back(uint16_t(r.layer == 0 ? all : all & ~(1u << east | 1u << across_east)));
	}
	return shared;
}

unsigned hops(const topology &t, const route_table &table, unsigned route, unsigned source, unsigned destination)
{
	constexpr unsigned no_way = ~0u;
	unsigned at = t.terminals[source].router;
	for (unsigned n = 0;; n++) {
		if (at == t.terminals[destination].router)
			return n;
		const uint8_t port = table.port(route, at, destination);
		if (port == route_table::none)
			return no_way;
		at = std::find_if(t.links.begin(), t.links.end(), [&](const link &l) {
			     return l.from == at && l.from_port == port;
		     })->to;
	}
}

// Where both ways are as long they are one, if not, packets go east first.
std::vector<uint8_t> nearer_ways(const topology &t, const route_table &table)
{
	std::vector<uint8_t> nearer;
	for (unsigned s = 0; s < table.terminals; s++)
		for (unsigned d = 0; d < table.terminals; d++) {
			const unsigned by_east = hops(t, table, through_interposer_east_first, s, d);
			const unsigned by_west = hops(t, table, through_interposer_west_first, s, d);
			nearer.push_back(by_west < by_east ? through_interposer_west_first
							   : through_interposer_east_first);
		}
	return nearer;
}

bool is_for(const topology &t, routing how)
{
	const bool two = t.routers.back().layer > 0;
	switch (how) {
	case routing::xy:
	case routing::yx:
	case routing::o1turn:
		return !two;
	case routing::xy_z:
	case routing::yx_z:
		return two;
	default: // both orders of dimensions in the interposer, or another one than among the cores
		return two && t.below == interposer::mesh;
	}
}

} // namespace

route_table routes_of(const topology &t, routing how)
{
	if (!is_for(t, how))
		throw std::invalid_argument(t.name + " is no network for " + names[size_t(how)]);
	const bool two = t.routers.back().layer > 0, butterfly = t.below == interposer::double_butterfly;
	const bool two_classes = how == routing::o1turn || how == routing::o1turn_z || butterfly;
	route_table table;
	table.routes = (two ? 2 : 1) * (two_classes ? 2 : 1);
	table.classes = two_classes ? 2 : 1;
	table.routers = unsigned(t.routers.size());
	table.terminals = unsigned(t.terminals.size());
	if (how == routing::o1turn_z)
		table.shared = shared_by_orders(t);
	if (butterfly)
		table.shared = shared_in_butterfly(t);
	table.ports.resize(size_t(table.routes) * table.routers * table.terminals);
	const ways by(t);
	for (unsigned route = 0; route < table.routes; route++) {
		const unsigned layer = two ? layer_of(route) : 0;
		bool x_first = how == routing::xy || how == routing::xy_z || (how == routing::o1turn && route == 0) ||
			       (how == routing::xy_yx_z && route == 0) ||
			       (how == routing::o1turn_z && route >= through_cores_x_first);
		if (butterfly && layer == 1)
			x_first = route == through_interposer_west_first;
		for (unsigned r = 0; r < table.routers; r++)
			for (unsigned d = 0; d < table.terminals; d++)
				table.port(route, r, d) = by.port(r, t.terminals[d], layer, x_first);
	}
	if (butterfly)
		table.nearer = nearer_ways(t, table);
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
