// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/ceiling.h"
#include "noc/simulation.h"

#include <gtest/gtest.h>

using namespace noc;

namespace
{

configuration target(pattern what, double memory, routing how = routing::yx_z)
{
	configuration c;
	c.network = "two-layers";
	c.how = how;
	c.traffic.what = what;
	c.traffic.memory_share = memory;
	return c;
}

// Flits a core and cycle where no packet is diverted.
double undiverted(const configuration &c)
{
	const topology t = topology_of(c);
	const route_table routes = routes_of(t, c.how);
	std::vector<flow> flows;
	const std::vector<uint16_t> to = permutation(c.traffic.what, 8, 8);
	for (unsigned s = 0; s < 64; s++)
		flows.push_back({uint16_t(s), to[s], 1 - c.traffic.memory_share, through_cores, false});
	return find_ceiling(t, routes, flows).rate;
}

} // namespace

TEST(ceiling, one_flow_over_two_ways_fills_both)
{
	const topology t = mesh(2, 2);
	// From corner to corner, either order: the terminal's own channel is the limit, not the two ways.
	const route_table routes = routes_of(t, routing::o1turn);
	ceiling c = find_ceiling(t, routes, {{0, 3, 2, 0, true}});
	EXPECT_NEAR(c.rate, 0.5, 0.005);
	// Two that share a way if they go x first: both can go apart.
	c = find_ceiling(t, routes, {{0, 3, 1, 0, true}, {0, 1, 1, 0, false}});
	EXPECT_NEAR(c.rate, 0.5, 0.005); // they leave the same terminal
	c = find_ceiling(t, routes, {{0, 3, 1, 0, true}, {2, 3, 1, 0, false}});
	EXPECT_NEAR(c.rate, 0.5, 0.005); // or arrive at one
}

// Values of an exact solver (glpsol), in percent of what is carried if nothing is diverted. They are those of x first
// among the cores and y first below.
TEST(ceiling, is_that_of_the_linear_program)
{
	const struct {
		pattern what;
		double gain[3];
	} known[] = {{pattern::transpose, {136, 118, 94}},
		     {pattern::bit_complement, {46, 38, 29}},
		     {pattern::shuffle, {90, 70, 50}},
		     {pattern::bit_reversal, {185, 158, 110}},
		     {pattern::tornado, {45, 34}}};
	const double memory[] = {0.05, 0.15, 0.25};
	for (const auto &k : known)
		for (unsigned i = 0; i < 3 && k.gain[i] > 0; i++) {
			const configuration c = target(k.what, memory[i], routing::xy_yx_z);
			const ceiling found = ceiling_of(c);
			EXPECT_LE(found.bound / found.rate, 1.01);
			const double gain = 100 * (found.rate / undiverted(c) - 1);
			EXPECT_NEAR(gain, k.gain[i], 2) << pattern_names()[size_t(k.what)] << " " << memory[i];
		}
}

// The flows that meet among the cores meet again below, if they go the same order of dimensions there.
TEST(ceiling, one_order_in_both_layers_carries_less)
{
	for (pattern p : {pattern::transpose, pattern::bit_reversal})
		EXPECT_LT(ceiling_of(target(p, 0.05)).bound, 0.85 * ceiling_of(target(p, 0.05, routing::xy_yx_z)).rate);
}

TEST(ceiling, both_orders_allow_more)
{
	const configuration both = target(pattern::transpose, 0.05, routing::o1turn_z);
	EXPECT_NEAR(100 * (ceiling_of(both).rate / undiverted(target(pattern::transpose, 0.05)) - 1), 394, 8);
}

TEST(ceiling, its_split_carries_what_nothing_else_does)
{
	configuration c = target(pattern::bit_reversal, 0.05);
	c.cycles = c.drain = 1500;
	c.policy = "ideal";
	const ceiling most = ceiling_of(c);
	c.traffic.rate = 0.75 * most.rate;
	EXPECT_TRUE(simulate(c).drained);
	c.policy = "dor";
	EXPECT_FALSE(simulate(c).drained);
	c.traffic.what = pattern::hot_spot;
	EXPECT_THROW(ceiling_of(c), std::invalid_argument);
}
