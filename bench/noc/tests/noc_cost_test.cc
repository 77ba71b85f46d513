// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/cost.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace noc;

namespace
{

configuration target(const std::string &policy = "dor")
{
	configuration c;
	c.network = "two-layers";
	c.how = routing::yx_z;
	c.policy = policy;
	c.traffic.rate = 0.1;
	return c;
}

parts named(const std::vector<named_parts> &all, const std::string &name)
{
	for (const named_parts &n : all)
		if (n.name == name)
			return n.what;
	ADD_FAILURE() << "there is no part called " << name;
	return {};
}

parts sum(const std::vector<named_parts> &all)
{
	parts p;
	for (const named_parts &n : all)
		p += n.what;
	return p;
}

} // namespace

// 64 routers with 6 ports and 16 with 10, 8 VCs of 8 flits; 224 links of 1.5 mm and 48 of 3.
TEST(cost, the_networks_parts_are_counted_by_hand)
{
	const std::vector<named_parts> all = parts_of_network(target(), {});
	EXPECT_EQ(named(all, "buffers").stored, (64 * 6 + 16 * 10) * 8 * 8 * 128);
	EXPECT_EQ(named(all, "crossbars").gates, (64 * 6 * 5 + 16 * 10 * 9) * 128 * 3);
	EXPECT_DOUBLE_EQ(named(all, "links").wires, (224 * 1.5 + 48 * 3) * 128);
}

// Uniform packets go 5.25 links on the average, and pass a router more.
TEST(cost, what_moves_is_the_rate_times_the_mean_way)
{
	const std::vector<named_parts> all = parts_of_network(target(), {});
	EXPECT_NEAR(named(all, "links").wires_now, 6.4 * 5.25 * 1.5 * 128, 1e-6);
	EXPECT_NEAR(named(all, "buffers").stored_now, 6.4 * 6.25 * 128, 1e-6);
	configuration faster = target();
	faster.traffic.rate = 0.2;
	const cost slow = cost_of(sum(all), {}), fast = cost_of(sum(parts_of_network(faster, {})), {});
	EXPECT_DOUBLE_EQ(fast.area, slow.area);
	EXPECT_DOUBLE_EQ(fast.leakage, slow.leakage);
	EXPECT_NEAR(fast.switching, 2 * slow.switching, 1e-9);
}

// The ring: 16 hops with 2 registers and 3 mm, for four links of 7 bits and one that says whether there is a message.
TEST(cost, the_rings_and_memories_bits_are_those_of_the_thesis)
{
	const std::vector<named_parts> dll = parts_of_policy(target("dll"), {});
	EXPECT_EQ(named(dll, "ring").registers, 16 * 2 * 4 * 8);
	EXPECT_EQ(named(dll, "ring").stored, 16 * 10);
	EXPECT_EQ(named(dll, "ring").wires, 16 * 3 * 4 * 8);
	EXPECT_EQ(named(dll, "memories").stored, 16 * 2 * 5 * 4);
	EXPECT_EQ(named(parts_of_policy(target("destdetect"), {}), "memories").stored, 64 * 2 * 5 * 4);
	EXPECT_TRUE(parts_of_policy(target("dor"), {}).empty());
}

TEST(cost, adaptive_has_dlls_wires_and_at_most_a_tenth_more_bits)
{
	const parts dll = sum(parts_of_policy(target("dll"), {})), ours = sum(parts_of_policy(target("adaptive"), {}));
	EXPECT_EQ(ours.wires, dll.wires);
	EXPECT_LE(ours.stored + ours.registers, 1.1 * (dll.stored + dll.registers));
	const std::vector<named_parts> both[] = {parts_of_policy(target("dll"), {}),
						 parts_of_policy(target("adaptive"), {})};
	const double of_grids[] = {
		named(both[0], "ring").registers + named(both[0], "ring").stored + named(both[0], "memories").stored,
		named(both[1], "ring").registers + named(both[1], "ring").stored + named(both[1], "means").registers};
	EXPECT_LE(of_grids[1], 1.1 * of_grids[0]);
}

TEST(cost, parts_add_up_and_memory_cells_are_smaller)
{
	const std::vector<named_parts> all = parts_of_network(target(), {});
	double area = 0, power = 0;
	for (const named_parts &n : all) {
		area += cost_of(n.what, {}).area;
		power += cost_of(n.what, {}).power();
	}
	EXPECT_NEAR(cost_of(sum(all), {}).area, area, 1e-9);
	EXPECT_NEAR(cost_of(sum(all), {}).power(), power, 1e-9);
	cost_options sram;
	sram.sram = true;
	EXPECT_LT(cost_of(sum(all), sram).area, area / 2);
	EXPECT_LT(cost_of(sum(all), sram).leakage, cost_of(sum(all), {}).leakage / 2);
}

// Of the links below, those across lead 1, 2 and 1 rows away, and as many millimetres more.
TEST(cost, links_across_a_double_butterfly_are_longer)
{
	configuration c = target("dor");
	c.layers.below = interposer::double_butterfly;
	const double straight = 2 * 4 * 3, across = 2 * 4 * (2 + 3 + 2);
	EXPECT_DOUBLE_EQ(named(parts_of_network(c, {}), "links").wires, 128 * (224 * 1.5 + (straight + across) * 3));
}

TEST(cost, one_layer_is_refused)
{
	configuration c = target();
	c.network = "mesh";
	c.how = routing::xy;
	EXPECT_THROW(parts_of_network(c, {}), std::invalid_argument);
	EXPECT_THROW(parts_of_policy(c, {}), std::invalid_argument);
}
