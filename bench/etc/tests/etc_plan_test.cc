// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Sets, slices, their order, and what comes and leaves for them.
#include "etc/tests/machines.h"

#include <gtest/gtest.h>

using namespace etc;

namespace
{

// Block b reads page b and writes all lines of page n + b.
std::vector<warps_of_block> copies(uint32_t n, bool back = false)
{
	std::vector<warps_of_block> blocks;
	for (uint32_t b = 0; b < n; b++) {
		const uint32_t from = (back ? n + b : b) * 4, to = (back ? b : n + b) * 4;
		blocks.push_back({{load(from), use(), store(to), store(to + 1), store(to + 2), store(to + 3)}});
	}
	return blocks;
}

std::vector<uint32_t> launches_of(const std::vector<slice> &order)
{
	std::vector<uint32_t> all;
	for (const slice &s : order)
		all.push_back(s.launch);
	return all;
}

} // namespace

TEST(etc_plan, sets_are_what_blocks_use)
{
	const program_trace t = trace_of(8, {copies(4)});
	const used_pages u = pages_of_blocks(t.launches[0], 1, 3, plain_machine(), 8);
	EXPECT_EQ(u.reads.pages(), (std::vector<uint32_t>{1, 2}));
	EXPECT_EQ(u.writes.pages(), (std::vector<uint32_t>{5, 6}));
	EXPECT_EQ(u.fresh, u.writes) << "each byte of them is written";
	const program_trace partly = trace_of(1, {{{{store(0), store(1), store(2)}}}});
	EXPECT_EQ(pages_of_blocks(partly.launches[0], 0, 1, plain_machine(), 1).fresh.count(), 0u);
	const program_trace read = trace_of(1, {{{{store(0), store(1), store(2), store(3), load(0), use()}}}});
	EXPECT_EQ(pages_of_blocks(read.launches[0], 0, 1, plain_machine(), 1).fresh.count(), 0u);
	EXPECT_EQ(uses_of_pages(t.launches[0], plain_machine(), 8), (std::vector<uint64_t>{1, 1, 1, 1, 4, 4, 4, 4}));
}

TEST(etc_plan, slices_have_each_block_once)
{
	const program_trace t = trace_of(8, {copies(4), copies(4, true)});
	for (const plan_options o : {plan_options{false, false}, {true, false}, {true, true}}) {
		std::vector<unsigned> seen(8);
		const std::vector<slice> order = plan_of_slices(t, plain_machine(), 4, o);
		for (const slice &s : order) {
			EXPECT_LE(s.pages.size(), 4u);
			for (uint32_t b = s.first; b < s.end; b++)
				seen[s.launch * 4 + b]++;
			for (const uint32_t before : s.after)
				EXPECT_LT(before, uint32_t(&s - order.data()));
		}
		EXPECT_EQ(seen, std::vector<unsigned>(8, 1));
	}
}

// Block b of the second launch uses what block b of the first one has left: it comes at once where launches may mix,
// and backwards where they may not.
TEST(etc_plan, passes_mix_or_turn_round)
{
	const program_trace t = trace_of(8, {copies(4), copies(4, true)});
	EXPECT_EQ(launches_of(plan_of_slices(t, plain_machine(), 4, {true, true})),
		  (std::vector<uint32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
	const std::vector<slice> turned = plan_of_slices(t, plain_machine(), 4, {true, false});
	EXPECT_EQ(launches_of(turned), (std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
	EXPECT_EQ(turned[4].first, 2u) << "pages of the last two blocks are there";
	EXPECT_EQ(plan_of_slices(t, plain_machine(), 4, {false, false})[4].first, 0u);
}

// Nothing of the data comes twice, and what was written home need not be fetched before it is written.
TEST(etc_plan, mixed_passes_move_each_page_once)
{
	const program_trace t = trace_of(8, {copies(4), copies(4, true)});
	configuration c = plain(4);
	c.how = mode::planned;
	const result mixed = simulate(t, c);
	EXPECT_EQ(mixed.planned.fetched, 4u);
	EXPECT_EQ(mixed.bytes_in, 4u * 512);
	c.order = {false, false};
	const result in_order = simulate(t, c);
	EXPECT_GT(in_order.planned.fetched, 4u);
	EXPECT_GT(in_order.planned.written_back, 0u) << "the first pass' pages leave, and have been written";
	EXPECT_EQ(in_order.bytes_out, in_order.planned.written_back * 512);
	EXPECT_LE(in_order.most_pages, 4u);
}

// One block uses more than half: the pages that are used most are there, the others are used where they are.
TEST(etc_plan, a_block_that_is_too_large_works_in_place)
{
	std::vector<warp_item> items;
	for (const uint32_t page : {0u, 1u, 2u, 3u, 3u, 2u})
		items.insert(items.end(), {load(page * 4), use()});
	items.push_back(store(12));
	const program_trace t = trace_of(4, {{{items}}});
	const std::vector<slice> order = plan_of_slices(t, plain_machine(), 2, {});
	ASSERT_EQ(order.size(), 1u);
	EXPECT_TRUE(order[0].in_place);
	EXPECT_EQ(order[0].pages, (std::vector<uint32_t>{2, 3}));
	configuration c = plain(2);
	c.how = mode::planned;
	const result r = simulate(t, c);
	EXPECT_EQ(r.remote_lines, 2u);
	EXPECT_EQ(r.bytes_in, 2u * 512 + 2 * line_bytes);
}

TEST(etc_plan, who_reads_waits_for_who_writes)
{
	const program_trace t =
		trace_of(3, {{{{store(4), store(5), store(6), store(7)}}}, {{{load(4), use(), store(8)}}}});
	const std::vector<slice> order = plan_of_slices(t, plain_machine(), 3, {});
	ASSERT_EQ(order.size(), 2u);
	EXPECT_EQ(order[1].launch, 1u);
	EXPECT_EQ(order[1].after, std::vector<uint32_t>{0});
}

// Four pages fit. When the fifth one comes the first launch has ended: page 0 is still needed, and page 1 is not.
TEST(etc_plan, what_is_used_again_last_leaves)
{
	const auto reads = [](uint32_t a, uint32_t b) {
		return std::vector<warps_of_block>{{{load(a * 4), load(b * 4), use(), load(a * 4 + 1)}}};
	};
	configuration c = plain(4);
	c.how = mode::planned;
	c.order = {false, false};
	EXPECT_EQ(simulate(trace_of(5, {reads(0, 1), reads(2, 3), reads(4, 4), reads(0, 0)}), c).planned.fetched, 5u);
}
