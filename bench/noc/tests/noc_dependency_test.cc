// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/dependency.h"

#include <gtest/gtest.h>

using namespace noc;

TEST(dependencies, no_routing_has_a_cycle)
{
	two_layer_options small;
	small.width = small.height = 4;
	for (unsigned classes : {1u, 2u}) {
		for (const topology &t : {mesh(4, 4), concentrated_mesh(3, 3, 2, 2)})
			for (routing how : {routing::xy, routing::yx, routing::o1turn})
				EXPECT_EQ(dependency_cycle(t, routes_of(t, how), {classes, false}),
					  std::vector<std::string>());
		const topology t = two_layers(small);
		for (routing how : {routing::xy_z, routing::yx_z, routing::o1turn_z, routing::xy_yx_z})
			EXPECT_EQ(dependency_cycle(t, routes_of(t, how), {classes, false}), std::vector<std::string>());
	}
}

TEST(dependencies, the_target_system_has_no_cycle)
{
	const topology t = two_layers({});
	EXPECT_EQ(t.routers.size(), 80u);
	EXPECT_EQ(t.terminals.size(), 72u);
	for (routing how : {routing::xy_z, routing::yx_z, routing::o1turn_z, routing::xy_yx_z})
		EXPECT_EQ(dependency_cycle(t, routes_of(t, how), {}), std::vector<std::string>());
}

// All four turns of one direction: x first to some, y first to others.
TEST(dependencies, a_turn_that_closes_a_ring_is_found)
{
	const topology t = mesh(2, 2);
	route_table routes = routes_of(t, routing::xy);
	EXPECT_TRUE(dependency_cycle(t, routes, {}).empty());
	routes.port(0, 1, 2) = south; // was west: from the upper right by the lower right to the lower left
	routes.port(0, 3, 2) = west;
	routes.port(0, 2, 1) = north; // and back by the upper left
	const std::vector<std::string> cycle = dependency_cycle(t, routes, {});
	ASSERT_EQ(cycle.size(), 4u);
	for (const std::string &channel : cycle)
		EXPECT_NE(channel.find("router"), std::string::npos) << channel;
}

TEST(dependencies, orders_of_o1turn_must_not_share)
{
	const topology t = mesh(3, 3);
	route_table routes = routes_of(t, routing::o1turn);
	EXPECT_TRUE(dependency_cycle(t, routes, {}).empty());
	routes.classes = 1;
	EXPECT_FALSE(dependency_cycle(t, routes, {}).empty());
}

// Nor may they in two layers, where each of four routes belongs to one order.
TEST(dependencies, orders_of_two_layers_must_not_share)
{
	two_layer_options small;
	small.width = small.height = 4;
	const topology t = two_layers(small);
	route_table routes = routes_of(t, routing::o1turn_z);
	EXPECT_EQ(routes.routes, 4u);
	EXPECT_EQ(routes.class_of(through_interposer), routes.class_of(through_cores));
	EXPECT_NE(routes.class_of(through_interposer), routes.class_of(through_interposer_x_first));
	EXPECT_EQ(routes.port(through_cores, 0, 5), south);
	EXPECT_EQ(routes.port(through_cores_x_first, 0, 5), east);
	EXPECT_EQ(routes.port(through_interposer_x_first, 0, 5), port_down);
	EXPECT_TRUE(dependency_cycle(t, routes, {}).empty());
	routes.classes = 1;
	EXPECT_FALSE(dependency_cycle(t, routes, {}).empty());
}

// Links of one dimension may be shared, not those of both, whichever one it is that is divided.
TEST(dependencies, orders_share_the_links_of_one_dimension)
{
	two_layer_options small;
	small.width = small.height = 6;
	const topology t = two_layers(small);
	route_table routes = routes_of(t, routing::o1turn_z);
	const unsigned interposer = 36;
	EXPECT_TRUE(routes.is_shared(0, port_down));
	EXPECT_FALSE(routes.is_shared(0, east));
	EXPECT_TRUE(routes.is_shared(interposer, east));
	EXPECT_FALSE(routes.is_shared(interposer, south));
	constexpr uint16_t along_x = 1u << east | 1u << west, along_y = 1u << south | 1u << north;
	const auto with = [&](uint16_t dimensions) {
		for (uint16_t &outputs : routes.shared)
			outputs = uint16_t((outputs & ~(along_x | along_y)) | dimensions);
		return dependency_cycle(t, routes, {});
	};
	EXPECT_TRUE(with(along_x).empty());
	EXPECT_TRUE(with(along_y).empty());
	EXPECT_FALSE(with(along_x | along_y).empty());
}

TEST(dependencies, replies_need_a_class_of_their_own)
{
	const topology t = mesh(2, 2);
	const route_table routes = routes_of(t, routing::xy);
	EXPECT_FALSE(dependency_cycle(t, routes, {1, true}).empty());
	EXPECT_TRUE(dependency_cycle(t, routes, {2, true}).empty());
}
