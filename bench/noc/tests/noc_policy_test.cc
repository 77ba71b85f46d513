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

// Of 6400 packets of core 18, how many take each route.
struct taken {
	unsigned of[4] = {};
	unsigned below() const { return of[through_interposer] + of[through_interposer_x_first]; }
	unsigned x_first() const { return of[through_cores_x_first] + of[through_interposer_x_first]; }
};

taken routes_taken(policy &p)
{
	taken t;
	for (unsigned i = 0; i < 6400; i++)
		t.of[p.choose(18, 5)]++;
	return t;
}

constexpr double noise = 200; // five standard deviations of a count

policy_options told_at_once()
{
	policy_options o;
	o.ideal_ring = true;
	o.sample = 1;
	return o;
}

void hear(policy &p, unsigned route, unsigned hop_latency)
{
	for (unsigned i = 0; i < 60; i++)
		p.received(seen(18, 5, route, hop_latency));
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

// Grid 7 lies below grid 3: one hop behind it on a ring that turns there, four on one that begins each row on the left.
TEST(policies, the_ring_goes_in_rows_or_turns_at_their_ends)
{
	const world w;
	for (const bool in_rows : {true, false}) {
		policy_options o;
		o.ring_in_rows = in_rows;
		const std::unique_ptr<policy> p = make_dll(o, w.around);
		const unsigned core = w.around.plan.cores_of[7][0];
		p->received(seen(core, w.around.plan.cores_of[3][0], through_cores, 15));
		unsigned cycles = 0;
		for (; p->choose(core, 0) == through_cores && cycles < 40; cycles++)
			p->cycle();
		EXPECT_EQ(cycles, in_rows ? 9u : 3u);
	}
}

TEST(policies, names)
{
	world w;
	EXPECT_THROW(make_policy("ideal", {}, w.around), std::invalid_argument); // without a split
	w.around.split = std::make_shared<ceiling>();
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

TEST(policies, adaptive_divides_by_the_nominal_share_until_it_hears_something)
{
	world w;
	EXPECT_NEAR(routes_taken(*make_adaptive({}, w.around)).below(), 2600, noise);
	EXPECT_EQ(routes_taken(*make_adaptive({}, w.around)).x_first(), 0u);
	w.around.both_orders = true;
	const taken t = routes_taken(*make_adaptive({}, w.around));
	EXPECT_NEAR(t.below(), 2600, noise);
	EXPECT_NEAR(t.x_first(), 3200, noise);
}

// Two cycles a hop are 8 of 64 packets.
TEST(policies, adaptive_shares_follow_the_difference_and_never_reach_an_end)
{
	const world w;
	const auto p = make_adaptive(told_at_once(), w.around);
	hear(*p, through_cores, 3 + 2);
	const unsigned some = routes_taken(*p).below();
	EXPECT_NEAR(some, 3400, noise + 100);
	hear(*p, through_cores, 15);
	EXPECT_NEAR(routes_taken(*p).below(), 5400, noise);
	hear(*p, through_interposer, 15);
	EXPECT_NEAR(routes_taken(*p).below(), 2600, noise); // both are slow
	hear(*p, through_cores, 3);
	EXPECT_NEAR(routes_taken(*p).below(), 200, noise); // 2 of 64: it still hears of the interposer
	policy_options o = told_at_once();
	o.gain = 4;
	const auto steep = make_adaptive(o, w.around);
	hear(*steep, through_cores, 15);
	EXPECT_NEAR(routes_taken(*steep).below(), 6200, noise);
}

// What the other grids do is not touched.
TEST(policies, adaptive_learns_for_the_grid_that_sent)
{
	const world w;
	const auto p = make_adaptive(told_at_once(), w.around);
	for (unsigned i = 0; i < 60; i++)
		p->received(seen(5, 18, through_cores, 15));
	EXPECT_NEAR(routes_taken(*p).below(), 2600, noise);
}

TEST(policies, adaptive_turns_to_the_order_that_is_faster)
{
	world w;
	w.around.both_orders = true;
	const auto p = make_adaptive(told_at_once(), w.around);
	hear(*p, through_cores, 9);
	hear(*p, through_cores_x_first, 5);
	const taken t = routes_taken(*p);
	const double among_cores = t.of[through_cores] + t.of[through_cores_x_first];
	EXPECT_NEAR(t.of[through_cores_x_first] / among_cores, 0.75, 0.04); // four cycles a hop are 16 of 64
	EXPECT_NEAR(t.of[through_interposer], t.of[through_interposer_x_first], noise); // nothing was heard of these
}

TEST(policies, adaptive_takes_twice_the_share_of_memory_packets_from_the_nominal_one)
{
	const world w;
	const auto p = make_adaptive({}, w.around);
	unsigned below = 0, all = 0;
	for (unsigned i = 0; i < 20000; i++)
		if (i % 8 == 0) {
			p->memory_packet(18);
		} else {
			below += p->choose(18, 5) == through_interposer;
			all++;
		}
	EXPECT_NEAR(64.0 * below / all, 26 - 2 * 8, 1.5); // an eighth goes to memory
	for (unsigned i = 0; i < 1000; i++)
		p->memory_packet(18);
	below = 0;
	for (unsigned i = 0; i < 16; i++) // few enough for the share to stay high
		below += p->choose(18, 5) == through_interposer;
	EXPECT_LE(below, 6u);
}

TEST(policies, adaptive_sends_a_message_for_every_eighth_packet)
{
	const world w;
	policy_options o;
	o.ideal_ring = true;
	const auto p = make_adaptive(o, w.around);
	const unsigned before = routes_taken(*p).below();
	for (unsigned i = 0; i < 7; i++)
		p->received(seen(18, 4 + i % 2, through_cores, 15)); // of one grid: they count together
	EXPECT_NEAR(routes_taken(*p).below(), before, noise);
	for (unsigned i = 0; i < 8 * 30; i++)
		p->received(seen(18, 5, through_cores, 15));
	EXPECT_NEAR(routes_taken(*p).below(), 5400, noise);
}

// By the ring, as DLL.
TEST(policies, adaptive_hears_by_the_ring)
{
	const world w;
	policy_options o;
	o.sample = 1;
	const auto p = make_adaptive(o, w.around);
	for (unsigned i = 0; i < 60; i++) {
		p->received(seen(18, 5, through_cores, 15));
		p->cycle();
	}
	EXPECT_GT(routes_taken(*p).below(), 5000u);
	const auto unheard = make_adaptive(o, w.around);
	for (unsigned i = 0; i < 60; i++)
		unheard->received(seen(18, 5, through_cores, 15));
	EXPECT_NEAR(routes_taken(*unheard).below(), 2600, noise);
}

TEST(policies, ideal_takes_the_shares_of_its_flow)
{
	world w;
	ceiling split;
	split.routes = 4;
	split.terminals = 72;
	split.shares.resize(72 * 72 * 4);
	const float shares[] = {0.5f, 0, 0.125f, 0.375f};
	std::copy(std::begin(shares), std::end(shares), &split.shares[(18 * 72 + 5) * 4]);
	w.around.split = std::make_shared<ceiling>(split);
	const taken t = routes_taken(*make_ideal({}, w.around));
	for (unsigned r = 0; r < 4; r++)
		EXPECT_NEAR(t.of[r], 6400 * double(shares[r]), shares[r] > 0 ? noise : 0) << r;
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
