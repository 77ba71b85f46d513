// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Small traces on a machine whose cycles can be added up by hand.
#include "pep/preemption.h"

#include <gtest/gtest.h>

using namespace pep;

namespace
{

// One processor with one scheduler, and one controller that takes 10 cycles for a line.
machine plain_machine()
{
	machine m;
	m.clock_mhz = 100;
	m.processors = 1;
	m.schedulers = 1;
	m.controllers = 1;
	m.memory_mhz = 160;
	m.trap_us = 1; // 100 cycles
	m.arithmetic_cycles = 5;
	m.l2_cycles = 20;
	m.memory_cycles = 7;
	m.save_line_cycles = 1;
	m.look_instructions = 3;
	return m;
}

enum : uint16_t { first, second, load, store, meet };

// Registers 0 and 1 are written by turns: the second instruction needs what the first has made.
kernel_trace plain_kernel(const std::vector<std::vector<uint16_t>> &warps, unsigned threads)
{
	kernel_trace k;
	k.name = "plain";
	k.threads = threads;
	k.registers = k.places = 4;
	k.text.resize(5);
	k.text[first].writes = {0};
	k.text[second].reads = {0};
	k.text[second].writes = {1};
	k.text[load].unit = k.text[store].unit = unit::memory;
	k.text[load].loads = true;
	k.text[load].writes = {2};
	k.text[store].stores = true;
	k.text[meet].unit = unit::barrier;
	for (instruction &i : k.text)
		for (const uint16_t w : i.writes)
			i.changes.set(w);
	block_trace b;
	for (const std::vector<uint16_t> &w : warps) {
		b.warps.emplace_back();
		for (const uint16_t i : w) {
			step s;
			s.instruction = i;
			if (k.text[i].unit == unit::memory) {
				s.first = uint32_t(b.lines.size());
				s.count = 1;
				b.lines.push_back(s.first);
			}
			b.warps.back().push_back(s);
			b.steps++;
		}
	}
	k.blocks.push_back(std::move(b));
	return k;
}

// Notes when blocks end; one in each place.
class noting : public director
{
      public:
	bool ended(place_of_block, cycle t) override
	{
		ends.push_back(t);
		return false;
	}
	void look(place_of_block, cycle t) override { looks.push_back(t); }
	uint64_t stopped(place_of_block, cycle t) override
	{
		stops.push_back(t);
		return bytes;
	}
	void saved(place_of_block, cycle t) override { saves.push_back(t); }

	std::vector<cycle> ends, looks, stops, saves;
	uint64_t bytes = 0;
};

std::vector<cycle> ends_of(const machine &m, const kernel_trace &k, unsigned blocks = 1)
{
	noting n;
	gpu g(m, k, blocks);
	g.run(never, n);
	return n.ends;
}

} // namespace

TEST(gpu, an_instruction_waits_for_what_it_reads)
{
	// 0: first; 5: second; 6: first again, as nothing waits for it; 11: second.
	EXPECT_EQ(ends_of(plain_machine(), plain_kernel({{first, second, first, second}}, 32)), std::vector<cycle>{11});
}

TEST(gpu, warps_take_turns)
{
	// Both first ones in cycles 0 and 1, both second ones in 5 and 6.
	EXPECT_EQ(ends_of(plain_machine(), plain_kernel({{first, second}, {first, second}}, 64)),
		  std::vector<cycle>{6});
	machine two = plain_machine();
	two.schedulers = 2;
	EXPECT_EQ(ends_of(two, plain_kernel({{first, second}, {first, second}}, 64)), std::vector<cycle>{5});
}

// None of them has to wait for anything, and each has done as much as the others.
TEST(gpu, no_warp_goes_on_before_the_others_had_their_turn)
{
	const machine m = plain_machine();
	kernel_trace k = plain_kernel({{first, first, first, first}}, 32);
	k.text[first].writes.clear();
	gpu g(m, k, 3);
	noting n;
	g.run(6, n);
	for (unsigned slot = 0; slot < 3; slot++)
		EXPECT_EQ(g.at({0, slot}).steps, 2u) << slot;
}

TEST(gpu, a_unit_is_busy_for_its_slots_and_a_branch_takes_one)
{
	kernel_trace k = plain_kernel({{first}, {first}, {first}}, 96);
	k.text[first].unit = unit::special; // 4 slots
	EXPECT_EQ(ends_of(plain_machine(), k), std::vector<cycle>{8});
	k = plain_kernel({{first}, {first}, {first}}, 96);
	k.text[first].branches = true;
	EXPECT_EQ(ends_of(plain_machine(), k), std::vector<cycle>{4});
}

TEST(gpu, a_barrier_opens_when_all_warps_are_there)
{
	// The second warp's first instruction comes in cycle 1, its second in 6, and its barrier in 7.
	EXPECT_EQ(ends_of(plain_machine(), plain_kernel({{meet, first}, {first, second, meet, first}}, 64)),
		  std::vector<cycle>{9});
	// A warp that has ended is not waited for.
	EXPECT_EQ(ends_of(plain_machine(), plain_kernel({{first}, {meet, first}}, 64)), std::vector<cycle>{2});
}

TEST(gpu, a_line_comes_from_memory_and_then_from_the_cache)
{
	kernel_trace k = plain_kernel({{load, load}}, 32);
	k.blocks[0].lines = {0, 0};
	k.text[load].reads = {2}; // one after the other
	// Sent in 1, it is not in the cache until 21, comes in 31, and is there in 38; the other one is asked for in
	// 39.
	EXPECT_EQ(ends_of(plain_machine(), k), std::vector<cycle>{38});
	k = plain_kernel({{load, second, first, load}}, 32);
	k.text[second].reads = {2};
	k.blocks[0].lines = {0, 0};
	EXPECT_EQ(ends_of(plain_machine(), k), std::vector<cycle>{40});
}

// A line on its way is waited for, the line that was used longest ago leaves a full set, and what was written moves
// again then.
TEST(memory, the_cache_keeps_what_was_used_last)
{
	machine m = plain_machine();
	m.l2_kb = 1;
	m.l2_ways = 8;
	memory all(m);
	const cycle there = all.use(0, false, 0);
	EXPECT_EQ(there, 37u);
	EXPECT_EQ(all.use(0, false, 1), there);
	for (uint64_t line = 1; line < 8; line++)
		all.use(line, line == 1, 1000);
	EXPECT_EQ(all.lines_moved(), 7u); // the written one did not come
	EXPECT_EQ(all.use(0, false, 2000), 2020u);
	all.use(8, false, 3000);
	EXPECT_EQ(all.lines_moved(), 9u); // 1 left, and had been written
	EXPECT_EQ(all.use(0, false, 4000), 4020u);
	EXPECT_EQ(all.lines_moved(), 9u);
	all.use(1, false, 5000);
	EXPECT_EQ(all.lines_moved(), 10u); // 2 left
}

// A line that only one block has is another one for each block; one of several is the same.
TEST(gpu, blocks_share_only_lines_that_several_have_used)
{
	for (const bool shared : {false, true}) {
		kernel_trace k = plain_kernel({{load}}, 32);
		k.blocks[0].lines[0] |= shared ? line_of_several : 0;
		const machine m = plain_machine();
		noting n;
		gpu g(m, k, 3);
		g.run(never, n);
		EXPECT_EQ(g.lines_moved(), shared ? 1u : 3u);
	}
}

TEST(gpu, a_stopped_block_ends_its_loads_then_comes_the_trap_then_its_lines)
{
	const machine m = plain_machine();
	const kernel_trace k = plain_kernel({{load, first, second, first, second}}, 32);
	gpu g(m, k, 1);
	noting n;
	n.bytes = 3 * line_bytes - 1;
	g.run(2, n);
	EXPECT_EQ(g.at({0, 0}).steps, 2u);
	EXPECT_EQ(g.dirty_registers({0, 0}), 2u);
	g.stop({0, 0});
	g.run(never, n);
	EXPECT_EQ(n.stops, std::vector<cycle>{38 + 100}); // the load is there in 38
	EXPECT_EQ(n.saves, std::vector<cycle>{138 + 30});
	EXPECT_TRUE(n.ends.empty());
	// It goes on where it was, and only what it writes from now on counts.
	EXPECT_EQ(g.dirty_bytes({0, 0}, false), 2u * line_bytes);
	g.resume({0, 0});
	EXPECT_EQ(g.ran({0, 0}), 2u);
	EXPECT_EQ(g.dirty_bytes({0, 0}, true), 0u);
	g.run(g.now() + 2, n);
	EXPECT_EQ(g.dirty_bytes({0, 0}, true), line_bytes);
	g.run(never, n);
	EXPECT_EQ(n.ends.size(), 1u);
	EXPECT_EQ(g.at({0, 0}).steps, 5u);
	EXPECT_EQ(n.looks.size(), 1u);
}

TEST(gpu, shared_memory_counts_once_it_was_written)
{
	const machine m = plain_machine();
	kernel_trace k = plain_kernel({{first, second, first}}, 32);
	k.shared_bytes = 1000;
	gpu g(m, k, 1);
	noting n;
	g.run(1, n);
	EXPECT_EQ(g.dirty_bytes({0, 0}, false), line_bytes);
	k.text[second].stores_shared = true;
	g.run(6, n);
	EXPECT_EQ(g.dirty_bytes({0, 0}, false), 2 * line_bytes + 1000);
}

TEST(gpu, nothing_is_saved_of_a_warp_that_has_ended)
{
	const machine m = plain_machine();
	const kernel_trace k = plain_kernel({{first}, {first, second, second}}, 64);
	gpu g(m, k, 1);
	noting n;
	g.run(7, n);
	EXPECT_EQ(g.dirty_bytes({0, 0}, false), 2u * line_bytes);
	EXPECT_EQ(g.dirty_registers({0, 0}), 3u);
}

TEST(gpu, a_copy_goes_on_by_itself)
{
	const machine m = plain_machine();
	const kernel_trace k = plain_kernel({{load, first, second, store}, {first, meet}}, 64);
	gpu g(m, k, 2);
	noting n, of_copy;
	g.run(4, n);
	gpu copy = g;
	copy.run(never, of_copy);
	g.run(never, n);
	EXPECT_EQ(n.ends, of_copy.ends);
	EXPECT_EQ(n.ends.size(), 2u);
}

// --- a preemption -------------------------------------------------------------------------------------------------

namespace
{

// A long block of one warp: register 0 is written once, register 1 again and again.
kernel_trace long_kernel(size_t rounds)
{
	std::vector<uint16_t> steps = {first};
	steps.insert(steps.end(), rounds, second);
	kernel_trace k = plain_kernel({steps}, 32);
	k.text[second].reads = {1};
	return k;
}

struct scene {
	machine m = plain_machine();
	kernel_trace k;
	known_kernel known;
	gpu g;
	noting n;

	scene(size_t rounds, double at)
	    : k(long_kernel(rounds)), known{double(rounds) * 5 + 5, double(rounds) + 1}, g(m, k, 1)
	{
		g.run(cycle(at * known.block_cycles), n);
	}
	outcome by(technique t, double takes, double predicted, double limit = 5)
	{
		return preempt(g, m, k, known, {.by = t, .limit = limit, .takes = takes, .predicted = predicted});
	}
};

uint64_t left_by(const outcome &o, leaving l)
{
	return o.leaves[unsigned(l)];
}

} // namespace

// Microseconds have 100 cycles, a line 10, and a trap 100; pipelines are empty after 5 at most.
TEST(preemption, each_technique_saves_what_it_has_to)
{
	scene s(10000, 0.5);
	const outcome chimera = s.by(technique::chimera, 0, 0), dirty = s.by(technique::chimera_dirty, 0, 0),
		      pep = s.by(technique::pep, 20, 20), in_place = s.by(technique::pep_in_place, 20, 20);
	EXPECT_NEAR(chimera.latency, 1.40, 0.06);
	EXPECT_NEAR(dirty.latency, 1.20, 0.06);
	EXPECT_NEAR(pep.latency, 1.10, 0.06);
	EXPECT_NEAR(in_place.latency, 1.00, 0.06);
	EXPECT_EQ(chimera.delta_bytes, 4u * line_bytes);
	EXPECT_EQ(dirty.delta_bytes, 2u * line_bytes);
	EXPECT_EQ(pep.base_bytes, 2u * line_bytes);
	EXPECT_EQ(pep.delta_bytes, line_bytes);
	EXPECT_EQ(in_place.in_place_bytes, line_bytes);
	EXPECT_EQ(left_by(pep, leaving::base_and_delta), 1u);
	EXPECT_NEAR(pep.stood_for_base, 1.20, 0.06);
	EXPECT_NEAR(pep.stood, pep.stood_for_base + pep.latency, 1e-9);
}

// A base checkpoint that is under way when the launch comes has all there is, and is waited for.
TEST(preemption, a_launch_that_comes_during_the_base_waits_for_it_alone)
{
	scene s(10000, 0.5);
	const outcome o = s.by(technique::pep, 0.5, 20);
	EXPECT_NEAR(o.latency, 0.70, 0.06);
	EXPECT_EQ(o.delta_bytes, 0u);
	EXPECT_EQ(left_by(o, leaving::base_and_delta), 1u);
}

TEST(preemption, all_five_ways_occur)
{
	// A block takes 40 µs, and 10 are left.
	scene s(799, 0.75);
	const outcome drained = s.by(technique::pep, 9.5, 20);
	EXPECT_EQ(left_by(drained, leaving::drain), 1u);
	EXPECT_NEAR(drained.latency, 0.45, 0.06);
	EXPECT_EQ(drained.delta_bytes, 0u);
	// The next block has done no three instructions when the launch comes.
	const outcome one = s.by(technique::pep, 9.96, 20);
	EXPECT_EQ(left_by(one, leaving::drain_then_one), 1u);
	const outcome based = s.by(technique::pep, 20, 20);
	EXPECT_EQ(left_by(based, leaving::drain_then_base), 1u);
	EXPECT_EQ(based.base_bytes, 2u * line_bytes);
	// A block that would have drained, but was called for sooner than expected, and has much left.
	scene early(799, 0.25);
	const outcome single = early.by(technique::pep, 5, 35);
	EXPECT_EQ(left_by(single, leaving::one_checkpoint), 1u);
	EXPECT_EQ(single.delta_bytes, 2u * line_bytes);
	EXPECT_EQ(left_by(early.by(technique::pep, 20, 20), leaving::base_and_delta), 1u);
}

TEST(preemption, chimera_drains_what_ends_within_its_limit)
{
	scene s(799, 0.75);
	EXPECT_EQ(s.by(technique::chimera, 0, 0, 5).saved_blocks, 1u);
	const outcome o = s.by(technique::chimera, 0, 0, 15);
	EXPECT_EQ(o.drained_blocks, 1u);
	EXPECT_NEAR(o.latency, 10, 0.3);
	EXPECT_NEAR(o.predicted_drain, 10, 0.3);
}

TEST(preemption, a_flushed_block_leaves_at_once)
{
	scene s(799, 0.01);
	s.k.is_idempotent = true;
	const outcome o = preempt(s.g, s.m, s.k, s.known, {.limit = 0.5, .may_flush = true});
	EXPECT_EQ(o.flushed_blocks, 1u);
	EXPECT_EQ(o.latency, 0);
}

// Three blocks have 640 bytes each of 2 KiB, so that each has room for 42 of the 128 that it has written since.
TEST(preemption, no_more_stays_in_place_than_there_is_room)
{
	machine m = plain_machine();
	m.register_kb = m.shared_kb = 1;
	kernel_trace k = long_kernel(10000);
	k.registers = k.places = 5;
	for (const unsigned blocks : {3u, 4u}) {
		gpu g(m, k, blocks);
		noting n;
		g.run(1000, n);
		const outcome o =
			preempt(g, m, k, {50000, 10001}, {.by = technique::pep_in_place, .takes = 20, .predicted = 20});
		EXPECT_EQ(o.delta_bytes, uint64_t{blocks} * line_bytes);
		EXPECT_EQ(o.in_place_bytes, blocks == 3 ? 3u * 42 : 0u);
	}
}

TEST(preemption, some_are_saved_and_others_drain_if_it_is_told_so)
{
	const machine m = plain_machine();
	const kernel_trace k = long_kernel(500);
	gpu g(m, k, 4);
	noting n;
	g.run(1000, n);
	for (int saved = 0; saved <= 4; saved++) {
		const outcome o = preempt(g, m, k, {2600, 501}, {.saved_blocks = saved});
		EXPECT_EQ(o.saved_blocks, uint64_t(saved));
		EXPECT_EQ(o.drained_blocks, uint64_t(4 - saved));
	}
}
