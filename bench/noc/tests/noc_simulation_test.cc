// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/parallel.h"
#include "noc/saturation.h"
#include "noc/simulation.h"

#include <atomic>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>

using namespace noc;

namespace
{

configuration small(double rate)
{
	configuration c;
	c.width = c.height = 4;
	c.cycles = c.drain = 2000;
	c.traffic.rate = rate;
	return c;
}

} // namespace

TEST(simulation, low_load_has_the_formulas_latency)
{
	configuration c = small(0.01);
	c.cycles = 20000;
	c.traffic.length = 3;
	const result r = simulate(c);
	EXPECT_TRUE(r.drained);
	EXPECT_NEAR(r.accepted, 0.01, 0.0015);
	EXPECT_NEAR(r.latency.mean, zero_load_latency(c), r.latency.half_width + 0.5);
}

// A run ends in the cycle in which the last packet that was measured is received, or with the last cycle that is
// measured.
TEST(simulation, a_run_ends_when_all_has_been_received)
{
	const configuration idle = small(0);
	EXPECT_EQ(simulate(idle).cycles, idle.cycles);
	EXPECT_TRUE(simulate(idle).drained);
	configuration c = small(0.3);
	const result r = simulate(c);
	ASSERT_TRUE(r.drained);
	ASSERT_GT(r.cycles, c.cycles);
	c.drain = unsigned(r.cycles) - c.cycles;
	EXPECT_TRUE(simulate(c).drained);
	c.drain--;
	EXPECT_FALSE(simulate(c).drained);
}

TEST(simulation, overload_does_not_drain_and_accepts_less)
{
	configuration c = small(0.9);
	c.traffic.what = pattern::bit_complement;
	c.drain = 500;
	const result r = simulate(c);
	EXPECT_FALSE(r.drained);
	EXPECT_LT(r.accepted, 0.7);
	EXPECT_EQ(r.cycles, 2500u);
}

TEST(simulation, a_seed_gives_one_result_on_any_number_of_threads)
{
	const auto all = [](unsigned threads) {
		std::vector<result> results(6);
		in_parallel(threads, results.size(), [&](size_t i) {
			configuration c = small(0.2);
			c.cycles = 500;
			c.network = "two-layers";
			c.how = routing::yx_z;
			c.traffic.memory_share = 0.2;
			const char *const policies[] = {"random", "dll", "adaptive"};
			c.policy = policies[i % 3];
			c.seed = 1 + i / 3;
			results[i] = simulate(c);
		});
		return results;
	};
	const std::vector<result> one = all(1), three = all(3);
	std::set<double> latencies;
	for (size_t i = 0; i < one.size(); i++) {
		EXPECT_EQ(one[i].latency.mean, three[i].latency.mean);
		EXPECT_EQ(one[i].accepted, three[i].accepted);
		EXPECT_EQ(one[i].p99, three[i].p99);
		EXPECT_EQ(one[i].diverted, three[i].diverted);
		latencies.insert(one[i].latency.mean);
	}
	EXPECT_EQ(latencies.size(), one.size()); // other seeds and policies do
}

TEST(simulation, jobs_run_once_and_failures_come_out)
{
	std::vector<std::atomic<unsigned>> runs(50);
	in_parallel(3, runs.size(), [&](size_t i) { runs[i]++; });
	for (const auto &r : runs)
		EXPECT_EQ(r, 1u);
	EXPECT_THROW(in_parallel(3, 50,
				 [](size_t i) {
					 if (i == 7)
						 throw std::runtime_error("no");
				 }),
		     std::runtime_error);
}

TEST(simulation, saturation_lies_where_the_definitions_say)
{
	configuration c = small(0);
	c.cycles = c.drain = 1000;
	c.traffic.what = pattern::bit_complement; // all cross both middles: 8 cores' flits over 4 links, bound 0.5
	const saturation s = find_saturation(c);
	EXPECT_GT(s.by_latency, 0.3);
	EXPECT_LE(s.by_latency, 0.5);
	EXPECT_GE(s.by_accepted, s.by_latency * 0.98);
	EXPECT_GE(s.peak_accepted, 0.95 * s.by_accepted);
	EXPECT_LE(s.peak_accepted, 0.52);
	c.traffic.rate = s.by_latency;
	const result at = simulate(c);
	EXPECT_EQ(s.p99, double(at.p99));
	EXPECT_EQ(s.slowest_flow, at.slowest_flow);
	EXPECT_GT(s.slowest_flow, at.latency.mean);
}

TEST(simulation, a_run_that_does_not_drain_is_judged_by_its_second_half)
{
	configuration c = small(0);
	c.traffic.rate = 0.01;
	c.cycles = 2000;
	c.drain = 0; // what was just sent has not arrived
	const result r = simulate(c);
	EXPECT_FALSE(r.drained);
	EXPECT_EQ(r.warm_up, 1000u);
	EXPECT_NEAR(r.accepted, 0.01, 0.002);
	c.drain = 1000;
	EXPECT_TRUE(simulate(c).drained);
}

// Bit complement crosses the whole mesh, neighbours are near: the line shows which of the two it was.
TEST(simulation, the_timeline_shows_a_change_of_pattern)
{
	configuration c = small(0);
	c.traffic.rate = 0.05;
	c.cycles = c.drain = 4 * timeline_window;
	c.traffic.what = pattern::neighbour;
	c.traffic.then = {pattern::bit_complement};
	c.traffic.period = 2 * timeline_window;
	const result r = simulate(c);
	ASSERT_EQ(r.timeline.size(), 4u);
	EXPECT_LT(std::max(r.timeline[0], r.timeline[1]), std::min(r.timeline[2], r.timeline[3]));
}

// Alone, a head flit spends three cycles in a router. Where all packets go to memory, x first, they meet beside the
// controllers.
TEST(simulation, time_in_routers_is_told_by_place)
{
	configuration c;
	c.network = "two-layers";
	c.how = routing::yx_z;
	c.cycles = c.drain = 2000;
	c.traffic.rate = 0.005;
	c.traffic.memory_share = 0.5;
	const result alone = simulate(c);
	EXPECT_NEAR(alone.in_cores, 3, 0.1);
	EXPECT_NEAR(alone.in_centre, 3, 0.1);
	EXPECT_NEAR(alone.in_edge, 3, 0.1);
	c.traffic.rate = 0.09;
	c.traffic.memory_share = 1;
	c.how = routing::xy_z;
	const result busy = simulate(c);
	EXPECT_GT(busy.in_edge, 3.8);
	EXPECT_LT(busy.in_centre, busy.in_edge);
	EXPECT_LT(busy.in_cores, busy.in_edge);
	c.network = "mesh";
	c.how = routing::yx;
	c.traffic.memory_share = 0;
	EXPECT_EQ(simulate(c).in_edge, 0);
}

TEST(simulation, packets_cause_replies)
{
	configuration c = small(0.05);
	c.answered = replies::to_all;
	c.reply_length = 3;
	result r = simulate(c);
	EXPECT_TRUE(r.drained);
	EXPECT_DOUBLE_EQ(r.offered, 0.2);
	EXPECT_NEAR(r.accepted, 0.2, 0.02);
	EXPECT_NEAR(r.latency.mean, zero_load_latency(c), 4);
	c.reply_queue = 1; // fewer at a time, but no fewer
	r = simulate(c);
	EXPECT_TRUE(r.drained);
	EXPECT_NEAR(r.accepted, 0.2, 0.02);

	c.network = "two-layers";
	c.how = routing::o1turn_z;
	c.policy = "adaptive";
	c.answered = replies::to_memory_packets;
	c.traffic.memory_share = 0.4;
	r = simulate(c);
	EXPECT_TRUE(r.drained);
	EXPECT_DOUBLE_EQ(r.offered, 0.05 * 2.2);
	EXPECT_NEAR(r.accepted, r.offered, 0.015);
}

// Whoever holds a reply takes no request: where both share VCs, the reply waits behind requests for it.
TEST(simulation, requests_and_replies_in_one_class_deadlock_and_the_channels_are_named)
{
	configuration c = small(0.3);
	c.router.vcs = c.router.depth = 2;
	c.answered = replies::to_all;
	c.reply_queue = 1;
	EXPECT_GT(simulate(c).accepted, 0.1);
	c.reply_class = false;
	try {
		simulate(c);
		FAIL() << "it went on";
	} catch (const std::runtime_error &stopped) {
		const std::string what = stopped.what();
		EXPECT_EQ(what.find("deadlock"), 0u) << what;
		EXPECT_NE(what.find(" waits for terminal"), std::string::npos) << what;
		const std::string last = what.substr(what.rfind(" waits for ") + 11);
		EXPECT_NE(what.find(last), what.rfind(last)) << what; // it closes
	}
}

// Transpose at a rate that DLL can't carry.
TEST(simulation, adaptive_carries_what_dll_does_not)
{
	configuration c;
	c.network = "two-layers";
	c.cycles = c.drain = 1500;
	c.traffic.what = pattern::transpose;
	c.traffic.rate = 0.3;
	c.traffic.memory_share = 0.05;
	c.how = routing::yx_z;
	c.policy = "dll";
	const result dll = simulate(c);
	c.how = routing::o1turn_z;
	c.policy = "adaptive";
	const result adaptive = simulate(c);
	EXPECT_TRUE(adaptive.drained);
	EXPECT_LT(adaptive.latency.mean, 2 * zero_load_latency(c));
	EXPECT_GT(dll.latency.mean, 3 * zero_load_latency(c));
	EXPECT_GT(adaptive.diverted, 0.1);
}

// What chose when it was created goes by what was known then; where no source waits both is the same.
TEST(simulation, packets_may_choose_when_they_are_created)
{
	configuration c = small(0.3);
	c.network = "two-layers";
	c.how = routing::yx_z;
	c.policy = "random";
	const result sent = simulate(c);
	c.choose_at_creation = true;
	const result created = simulate(c);
	EXPECT_TRUE(created.drained);
	EXPECT_NEAR(created.accepted, sent.accepted, 0.01);
	EXPECT_NEAR(created.diverted, 0.5, 0.03);
	EXPECT_NEAR(created.latency.mean, sent.latency.mean, 0.1 * sent.latency.mean);
	c.policy = "dor";
	const result again = simulate(c);
	c.choose_at_creation = false;
	EXPECT_EQ(simulate(c).latency.mean, again.latency.mean);
}

// LocalBuf diverts where a port's 64 flits are 0.6 full, for which 30 cycles at a flit each are too few. Packets that
// are created in these and wait at their source until others are congested divert only if they choose when they are
// sent.
TEST(simulation, a_packet_goes_by_what_was_known_when_it_chose)
{
	const auto early_and_diverted = [](bool choose_at_creation) {
		configuration c;
		c.network = "two-layers";
		c.how = routing::yx_z;
		c.policy = "localbuf";
		c.traffic.what = pattern::transpose;
		c.traffic.length = 16;
		c.traffic.rate = 8;
		c.choose_at_creation = choose_at_creation;
		machine m(c);
		unsigned diverted = 0;
		while (m.net().now() < 1500) {
			m.step();
			for (const packet &p : m.net().received())
				diverted += p.created < 30 && layer_of(p.route) == 1;
		}
		EXPECT_GT(m.diverted(), 0u);
		return diverted;
	};
	EXPECT_EQ(early_and_diverted(true), 0u);
	EXPECT_GT(early_and_diverted(false), 0u);
}

// Requests of a flit have answers of 64, so those of the first 30 cycles wait at their source for hundreds of cycles.
TEST(simulation, an_answer_goes_by_what_was_known_when_it_chose)
{
	const auto early_and_diverted = [](bool choose_at_creation) {
		configuration c;
		c.network = "two-layers";
		c.how = routing::yx_z;
		c.policy = "localbuf";
		c.traffic.rate = 1;
		c.answered = replies::to_all;
		c.reply_class = true;
		c.reply_length = 64;
		c.reply_queue = 64;
		c.choose_at_creation = choose_at_creation;
		machine m(c);
		unsigned early = 0, diverted = 0;
		while (m.net().now() < 1500) {
			m.step();
			for (const packet &p : m.net().received()) {
				early += p.reply && p.created < 30;
				diverted += p.reply && p.created < 30 && layer_of(p.route) == 1;
			}
		}
		EXPECT_GT(early, 100u);
		EXPECT_GT(m.diverted(), 0u);
		return diverted;
	};
	EXPECT_EQ(early_and_diverted(true), 0u);
	EXPECT_GT(early_and_diverted(false), 0u);
}

// While the first answer leaves, which takes 64 cycles, so many others wait, and no further request is taken.
TEST(simulation, a_terminal_holds_as_many_answers_as_it_may)
{
	for (unsigned held : {1u, 3u}) {
		configuration c;
		c.width = 2;
		c.height = 1;
		c.traffic.what = pattern::neighbour;
		c.traffic.rate = 1;
		c.answered = replies::to_all;
		c.reply_length = 64;
		c.reply_queue = held;
		machine m(c);
		unsigned taken = 0;
		for (unsigned cycles = 0; cycles<60; cycles += taken> 0) {
			m.step();
			for (const packet &p : m.net().received())
				taken += !p.reply && p.destination == 1;
		}
		EXPECT_EQ(taken, held + 1);
	}
}

TEST(simulation, refuses_what_does_not_fit)
{
	configuration c;
	c.network = "torus";
	EXPECT_THROW(topology_of(c), std::invalid_argument);
	c.network = "cmesh";
	c.width = 3;
	EXPECT_THROW(topology_of(c), std::invalid_argument);
}
