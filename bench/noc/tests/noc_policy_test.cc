// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/latency_memory.h"
#include "noc/policy.h"

#include <gtest/gtest.h>
#include <map>
#include <stdexcept>

using namespace noc;

namespace
{

struct world {
	std::map<unsigned, double> full; // routers
	surroundings around{floor_plan_of(two_layers({})), [this](unsigned r) { return full[r]; }};
};

packet seen(unsigned source, unsigned destination, unsigned route, unsigned hop_latency)
{
	packet p;
	p.source = uint16_t(source);
	p.destination = uint16_t(destination);
	p.route = uint8_t(route);
	p.hop_latency = uint8_t(hop_latency);
	return p;
}

} // namespace

TEST(policies, floor_plan)
{
	const world w;
	EXPECT_EQ(w.around.plan.cores, 64u);
	EXPECT_EQ(w.around.plan.grids, 16u);
	EXPECT_EQ(w.around.plan.cores_of[5], (std::vector<uint16_t>{18, 19, 26, 27}));
	EXPECT_EQ(w.around.plan.grid_of[27], 5);
	EXPECT_EQ(w.around.plan.router_of_grid[5], 69);
	const uint8_t beside[] = {0, 3, 4, 7, 8, 11, 12, 15};
	for (unsigned c = 0; c < 8; c++)
		EXPECT_EQ(w.around.plan.grid_of[64 + c], beside[c]);
}

TEST(policies, names)
{
	const world w;
	for (const std::string &name : policy_names())
		EXPECT_NE(make_policy(name, {}, w.around), nullptr);
	EXPECT_THROW(make_policy("luck", {}, w.around), std::invalid_argument);
}

TEST(policies, dor_never_diverts)
{
	world w;
	const auto p = make_dor({}, w.around);
	for (unsigned r = 0; r < 64; r++)
		w.full[r] = 1;
	EXPECT_EQ(p->choose(0, 63), through_cores);
}

TEST(policies, random_diverts_a_share)
{
	const world w;
	policy_options o;
	o.divert = 0.3;
	const auto p = make_random(o, w.around);
	unsigned diverted = 0;
	for (unsigned i = 0; i < 10000; i++)
		diverted += p->choose(0, 1) == through_interposer;
	EXPECT_NEAR(diverted, 3000, 5 * 46);
}

TEST(policies, localbuf_wants_two_congested_routers_of_its_grid)
{
	world w;
	const auto p = make_localbuf({}, w.around);
	w.full[18] = 0.61;
	w.full[0] = 1; // of another grid
	EXPECT_EQ(p->choose(18, 63), through_cores);
	w.full[27] = 0.6; // not above
	EXPECT_EQ(p->choose(18, 63), through_cores);
	w.full[27] = 0.61;
	EXPECT_EQ(p->choose(19, 63), through_interposer);
	w.full[69] = 0.61; // the grid's own router
	EXPECT_EQ(p->choose(19, 63), through_cores);
}

TEST(policies, memory_of_latencies_is_a_fifo)
{
	latency_memory m(3);
	EXPECT_EQ(m.mean(0), 0);
	m.add(0, 4);
	EXPECT_EQ(m.mean(0), 4);
	m.add(0, 6);
	m.add(0, 8);
	m.add(0, 10); // the 4 is gone
	EXPECT_EQ(m.mean(0), 8);
	EXPECT_EQ(m.mean(1), 0);
}

TEST(policies, destdetect_judges_by_what_a_node_received)
{
	const world w;
	const auto p = make_destdetect({}, w.around);
	p->received(seen(63, 5, through_cores, 11));
	p->received(seen(63, 5, through_interposer, 3));
	EXPECT_EQ(p->choose(5, 0), through_cores); // 8 is not more than 8
	for (unsigned i = 0; i < 5; i++)
		p->received(seen(63, 5, through_cores, 12));
	EXPECT_EQ(p->choose(5, 0), through_interposer);
	EXPECT_EQ(p->choose(63, 0), through_cores); // the sender learns nothing
	EXPECT_EQ(p->choose(4, 0), through_cores);  // nor does the rest of the grid
}

// The message takes the ring from the destination's grid to the source's, where all four cores use it.
TEST(policies, dll_tells_the_source)
{
	const world w;
	const auto p = make_dll({}, w.around);
	const unsigned source = 18, destination = 5; // grids 5 and 2: three hops
	p->received(seen(source, destination, through_cores, 15));
	for (unsigned c = 0; c < 1 + 2 * 3 - 1; c++)
		p->cycle();
	EXPECT_EQ(p->choose(source, destination), through_cores);
	p->cycle();
	for (unsigned core : {18u, 19u, 26u, 27u})
		EXPECT_EQ(p->choose(core, 0), through_interposer);
	EXPECT_EQ(p->choose(destination, 0), through_cores);
}

// What is longer than four bits hold is 15 to both.
TEST(policies, latencies_end_at_fifteen)
{
	const world w;
	policy_options o;
	o.threshold = 15;
	for (auto make : {make_dll, make_destdetect}) {
		const auto p = make(o, w.around);
		p->received(seen(5, 5, through_cores, 200));
		EXPECT_EQ(p->choose(5, 0), through_cores);
	}
}

TEST(policies, dll_remembers_five)
{
	const world w;
	policy_options o;
	o.ideal_ring = true;
	const auto p = make_dll(o, w.around);
	p->received(seen(18, 5, through_cores, 5));
	for (unsigned i = 0; i < 4; i++)
		p->received(seen(18, 5, through_cores, 9)); // 41 / 5 is more than 8
	EXPECT_EQ(p->choose(18, 5), through_interposer);
	p->received(seen(18, 5, through_cores, 8)); // the 5 is gone: 44 / 5
	for (unsigned i = 0; i < 3; i++)
		p->received(seen(18, 5, through_cores, 8)); // 41 / 5: one 9 is left
	EXPECT_EQ(p->choose(18, 5), through_interposer);
	p->received(seen(18, 5, through_cores, 8)); // 40 / 5
	EXPECT_EQ(p->choose(18, 5), through_cores);
}

TEST(policies, dll_gives_up_where_both_layers_are_slow)
{
	const world w;
	policy_options o;
	o.threshold = 4;
	o.ideal_ring = true;
	const auto p = make_dll(o, w.around);
	p->received(seen(18, 5, through_cores, 15));
	p->received(seen(18, 5, through_interposer, 7));
	EXPECT_EQ(p->choose(18, 5), through_interposer);
	p->received(seen(18, 5, through_interposer, 9)); // a mean of 8 is not below 8
	EXPECT_EQ(p->choose(18, 5), through_cores);
}
