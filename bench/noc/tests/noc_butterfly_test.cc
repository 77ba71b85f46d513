// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/dependency.h"
#include "noc/simulation.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace noc;

namespace
{

constexpr unsigned cores = 64, columns = 4, rows = 4;

topology butterfly()
{
	two_layer_options o;
	o.below = interposer::double_butterfly;
	return two_layers(o);
}

const noc::link *link_at(const topology &t, unsigned router, uint8_t port)
{
	const auto at = std::find_if(t.links.begin(), t.links.end(),
				     [&](const noc::link &l) { return l.from == router && l.from_port == port; });
	return at == t.links.end() ? nullptr : &*at;
}

// Returns the row of the next column to which a router's link across leads.
unsigned row_across(const topology &t, unsigned column, unsigned row)
{
	const noc::link *const l = link_at(t, cores + row * columns + column, across_east);
	const router &to = t.routers[l->to];
	EXPECT_EQ(to.x, column + 1);
	EXPECT_EQ(link_at(t, l->to, across_west)->to, cores + row * columns + column);
	return to.y;
}

// Returns the fewest links of the interposer between any two of its routers.
std::vector<std::vector<unsigned>> distances(const topology &t)
{
	constexpr unsigned far = 100;
	std::vector<std::vector<unsigned>> d(columns * rows, std::vector<unsigned>(columns * rows, far));
	for (unsigned i = 0; i < d.size(); i++)
		d[i][i] = 0;
	for (const noc::link &l : t.links)
		if (l.from >= cores && l.to >= cores)
			d[l.from - cores][l.to - cores] = 1;
	for (unsigned via = 0; via < d.size(); via++)
		for (unsigned a = 0; a < d.size(); a++)
			for (unsigned b = 0; b < d.size(); b++)
				d[a][b] = std::min(d[a][b], d[a][via] + d[via][b]);
	return d;
}

} // namespace

TEST(butterfly, has_links_to_the_next_columns_alone)
{
	const topology t = butterfly();
	unsigned links = 0;
	for (const noc::link &l : t.links) {
		if (l.from < cores || l.to < cores)
			continue;
		links++;
		EXPECT_EQ(std::abs(t.routers[l.from].x - t.routers[l.to].x), 1);
	}
	EXPECT_EQ(links, 2u * 2 * rows * (columns - 1));
	for (unsigned row = 0; row < rows; row++) {
		EXPECT_EQ(row_across(t, 0, row), row ^ 1);
		EXPECT_EQ(row_across(t, 1, row), row ^ 2);
		EXPECT_EQ(row_across(t, 2, row), row ^ 1);
	}
}

TEST(butterfly, has_sizes_of_its_own)
{
	two_layer_options o;
	o.below = interposer::double_butterfly;
	o.width = 4;
	EXPECT_THROW(two_layers(o), std::invalid_argument);
	o.height = 4;
	EXPECT_EQ(two_layers(o).routers.size(), 20u);
	o.width = 12;
	o.height = 16;
	EXPECT_TRUE(dependency_cycle(two_layers(o), routes_of(two_layers(o), routing::yx_z), {}).empty());
}

TEST(butterfly, ways_are_shortest_and_turn_once)
{
	const topology t = butterfly();
	const route_table routes = routes_of(t, routing::yx_z);
	const std::vector<std::vector<unsigned>> shortest = distances(t);
	const floor_plan plan = floor_plan_of(t);
	for (unsigned s = 0; s < t.terminals.size(); s++)
		for (unsigned d = 0; d < t.terminals.size(); d++) {
			const unsigned route = routes.taken(through_interposer, s, d);
			EXPECT_EQ(layer_of(route), 1u);
			unsigned at = t.terminals[s].router, hops = 0, turns = 0;
			bool is_east = false;
			while (at != t.terminals[d].router) {
				const noc::link *const l = link_at(t, at, routes.port(route, at, d));
				ASSERT_NE(l, nullptr) << s << " to " << d;
				at = l->to;
				if (l->from < cores || l->to < cores)
					continue;
				const bool east_now = t.routers[l->to].x > t.routers[l->from].x;
				turns += hops > 0 && east_now != is_east;
				is_east = east_now;
				hops++;
				ASSERT_LE(hops, 10u);
			}
			EXPECT_LE(turns, 1u) << s << " to " << d;
			EXPECT_EQ(hops, shortest[plan.grid_of[s]][plan.grid_of[d]]) << s << " to " << d;
		}
}

TEST(butterfly, has_no_cycle_unless_all_links_are_shared)
{
	const topology t = butterfly();
	for (routing how : {routing::xy_z, routing::yx_z})
		for (unsigned classes : {1u, 2u})
			EXPECT_TRUE(dependency_cycle(t, routes_of(t, how), {classes, false}).empty());
	route_table routes = routes_of(t, routing::yx_z);
	EXPECT_TRUE(routes.is_shared(cores, west));
	EXPECT_FALSE(routes.is_shared(cores, across_east));
	for (uint16_t &outputs : routes.shared)
		outputs |= 1u << east | 1u << across_east;
	EXPECT_FALSE(dependency_cycle(t, routes, {}).empty());
	EXPECT_THROW(routes_of(t, routing::o1turn_z), std::invalid_argument);
	EXPECT_THROW(routes_of(t, routing::xy_yx_z), std::invalid_argument);
}

TEST(butterfly, carries_memory_replies_and_what_every_policy_diverts)
{
	configuration c;
	c.network = "two-layers";
	c.layers.below = interposer::double_butterfly;
	c.how = routing::yx_z;
	c.cycles = c.drain = 600;
	c.traffic.rate = 0.02;
	c.traffic.memory_share = 0.3;
	c.answered = replies::to_memory_packets;
	c.router.checked = true;
	for (const char *policy : {"dor", "random", "ideal", "dll", "adaptive"}) {
		c.policy = policy;
		const result r = simulate(c);
		EXPECT_TRUE(r.drained) << policy;
		EXPECT_NEAR(r.latency.mean, zero_load_latency(c), 3) << policy;
		EXPECT_EQ(r.diverted > 0, c.policy != "dor" && c.policy != "dll") << policy;
	}
}
