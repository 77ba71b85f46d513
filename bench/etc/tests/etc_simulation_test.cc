// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Small traces whose cycles are added up by hand (machines.h has the machine's times).
#include "etc/tests/machines.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace etc;

// The launch begins at 100. 4 instructions and the load: 105, a fault. The driver thinks until 1105, the page is there
// at 1145. 21 to find it, 10 and 9 to memory: 1185. 2 instructions and the store: 1188.
TEST(etc_simulation, one_fault)
{
	const program_trace t = trace_of(1, {{{{load(0, 4), use(), store(1, 2)}}}});
	const result r = simulate(t, plain(1));
	EXPECT_EQ(r.cycles, 1188u);
	EXPECT_EQ(r.demand.faults, 1u);
	EXPECT_EQ(r.demand.batches, 1u);
	EXPECT_EQ(r.bytes_in, 512u);
	EXPECT_EQ(r.bytes_out, 0u);
	EXPECT_EQ(r.items, 2u);
}

// The page is there at 90, before the launch begins at 100; then as above without the fault.
TEST(etc_simulation, no_fault_where_the_set_is_known)
{
	const program_trace t = trace_of(1, {{{{load(0, 4), use(), store(1, 2)}}}});
	configuration c = plain(1);
	c.how = mode::planned;
	const result r = simulate(t, c);
	EXPECT_EQ(r.cycles, 148u);
	EXPECT_EQ(r.demand.faults, 0u);
	EXPECT_EQ(r.planned.fetched, 1u);
}

// A warp goes on past a load until its value is used. The first load is issued at 101, the second one at 102; the value
// of the first is not waited for. Both have the page's place at 122, the lines come from memory: 141 and 143 (the row
// is open, the wires are busy).
TEST(etc_simulation, loads_overlap_until_they_are_used)
{
	const program_trace t = trace_of(1, {{{{load(0), load(1), use(), store(2)}}}});
	configuration c = plain(1);
	c.how = mode::planned;
	EXPECT_EQ(simulate(t, c).cycles, 144u);
	const program_trace apart = trace_of(1, {{{{load(0), use(), load(1), use(), store(2)}}}});
	EXPECT_EQ(simulate(apart, c).cycles, 160u) << "141, 142 + 10 + 7 = 159 and the store";
}

// The first warp goes on for 10 + 1, then the other one: 111, 122. Without sharing the processor: 111.
TEST(etc_simulation, warps_take_turns)
{
	configuration c = plain(1);
	c.how = mode::planned;
	EXPECT_EQ(simulate(trace_of(1, {{{{store(0, 10)}}}}), c).cycles, 111u);
	EXPECT_EQ(simulate(trace_of(1, {{{{store(0, 10)}, {store(1, 10)}}}}), c).cycles, 122u);
}

// The first warp is at the barrier at 101, the second one at 101 + 21 = 122; then each has a store of one cycle.
TEST(etc_simulation, a_barrier_waits_for_all)
{
	configuration c = plain(1);
	c.how = mode::planned;
	EXPECT_EQ(simulate(trace_of(1, {{{{barrier(), store(0)}, {barrier(20), store(1)}}}}), c).cycles, 124u);
}

// The second warp is there at 122, and its store at 123 has the page's place at 144. The first warp's load comes behind
// the barrier, so it waits for that: 144 + 10 + 9, and its store.
TEST(etc_simulation, what_is_behind_a_barrier_comes_later)
{
	configuration c = plain(1);
	c.how = mode::planned;
	const program_trace t = trace_of(1, {{{{barrier(), load(0), use(), store(2)}, {barrier(20), store(1)}}}});
	EXPECT_EQ(simulate(t, c).cycles, 164u);
}

// The next launch begins 100 cycles behind the end of the one before: 101, 201 + 1.
TEST(etc_simulation, launches_follow_each_other)
{
	configuration c = plain(1);
	c.how = mode::planned;
	EXPECT_EQ(simulate(trace_of(1, {{{{store(0)}}}, {{{store(1)}}}}), c).cycles, 202u);
}

namespace
{

// Three pages, one after the other, of which two fit.
program_trace three_pages()
{
	return trace_of(3, {{{{load(0), use(), load(4), use(), load(8), use(), store(8)}}}});
}

} // namespace

// Faults at 101, at 1180 + 1 (1141, 40 for the line), and so on. Where two pages fit, both leave before the third
// comes: 80 cycles more. Evicted ahead, the first one leaves while the second one comes.
TEST(etc_simulation, an_eviction_takes_its_time_on_the_bus_unless_it_was_ahead)
{
	const result all = simulate(three_pages(), plain(3)), less = simulate(three_pages(), plain(2));
	EXPECT_EQ(less.cycles, all.cycles + 80);
	EXPECT_EQ(less.demand.evicted, 2u);
	EXPECT_EQ(less.bytes_out, 1024u);
	configuration c = plain(2);
	c.with.ahead = true;
	const result ahead = simulate(three_pages(), c);
	EXPECT_EQ(ahead.cycles, all.cycles);
	EXPECT_GT(ahead.demand.ahead, 0u);
	EXPECT_EQ(ahead.most_pages, 2u);
}

TEST(etc_simulation, what_was_not_written_need_not_go_home)
{
	configuration c = plain(2);
	c.of.move_clean = false;
	const result r = simulate(three_pages(), c);
	EXPECT_EQ(r.bytes_out, 0u);
	EXPECT_EQ(r.demand.evicted, 2u);
}

TEST(etc_simulation, compressed_pages_fit)
{
	configuration c = plain(2);
	c.with.compressed = true;
	c.ratio = 1.5;
	const result r = simulate(three_pages(), c);
	EXPECT_EQ(r.demand.evictions, 0u);
	EXPECT_EQ(r.most_pages, 3u);
}

TEST(etc_simulation, half_of_the_processors_are_left)
{
	std::vector<warps_of_block> blocks;
	for (uint32_t b = 0; b < 4; b++)
		blocks.push_back({{store(b * 4, 1000)}});
	const program_trace t = trace_of(4, {blocks});
	configuration c = plain(3);
	c.of.processors = 4;
	c.of.blocks_of_processor = 1;
	c.with.throttled = true;
	c.adapts = false;
	const result half = simulate(t, c);
	EXPECT_DOUBLE_EQ(half.running, 2);
	c.with.throttled = false;
	EXPECT_GT(half.cycles, simulate(t, c).cycles + 1000);
}

// Those that were stopped go on, one by one, where nothing faults: otherwise their blocks would never end.
TEST(etc_simulation, who_was_stopped_goes_on)
{
	std::vector<warps_of_block> blocks;
	for (uint32_t b = 0; b < 8; b++)
		blocks.push_back({{load(b * 4), use(), store(b * 4, 3)}, {load(b * 4 + 1), use(), store(b * 4)}});
	const program_trace t = trace_of(8, {blocks, blocks});
	for (const grain g : {grain::processors, grain::blocks, grain::warps}) {
		configuration c = plain(4);
		c.of.processors = 4;
		c.with.throttled = true;
		c.throttled = g;
		const result r = simulate(t, c);
		EXPECT_EQ(r.items, 64u);
		EXPECT_LE(r.most_pages, 4u);
	}
}

TEST(etc_simulation, the_class_decides_on_the_techniques)
{
	warp_item wide = load(0);
	wide.lines.clear();
	for (uint32_t line = 0; line < 12; line++)
		wide.lines.push_back(line);
	std::vector<warp_item> items = {wide, use(), store(0, 60000)};
	items.insert(items.end(), {wide, use(), store(0, 60000)});
	configuration c = plain(2);
	c.how = mode::automatic;
	const result irregular = simulate(trace_of(3, {{{items}}}), c);
	EXPECT_FALSE(irregular.regular);
	EXPECT_GT(irregular.running, 0);
	EXPECT_DOUBLE_EQ(irregular.sample_pages, 3);
	const result regular =
		simulate(trace_of(3, {{{{load(0), use(), store(0, 60000), load(4), load(8), use(), store(8)}}}}), c);
	EXPECT_TRUE(regular.regular);
	EXPECT_GT(regular.demand.ahead, 0u);
}

TEST(etc_simulation, trailing_waits_are_left_out)
{
	const program_trace t = trace_of(1, {{{{store(0), barrier(), use()}, {barrier()}}}});
	EXPECT_EQ(t.launches[0].items.size(), 1u);
	EXPECT_EQ(simulate(t, plain(1)).items, 1u);
}
