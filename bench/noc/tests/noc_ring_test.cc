// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/random.h"
#include "noc/ring.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace noc;

namespace
{

struct heard {
	unsigned cycle;
	congestion_message m;
};

std::vector<heard> steps(congestion_ring &ring, unsigned cycles, unsigned first = 1)
{
	std::vector<heard> all;
	for (unsigned c = first; c < first + cycles; c++)
		ring.step([&](const congestion_message &m) { all.push_back({c, m}); });
	return all;
}

} // namespace

TEST(ring, a_message_is_nine_bits)
{
	for (unsigned bits = 0; bits < 1u << message_bits; bits++)
		EXPECT_EQ(encode(decode(uint16_t(bits))), bits);
	EXPECT_EQ(encode({0b1001, 0b0101, 1}), 0b100101011); // grid, latency, layer
	EXPECT_EQ(decode(encode({3, 40, 0})).latency, 15);
}

// A cycle to start, then two a hop, the long way round for the grid behind.
TEST(ring, latency_is_two_cycles_a_hop)
{
	for (unsigned from = 0; from < 16; from++)
		for (unsigned to = 0; to < 16; to++) {
			if (from == to)
				continue;
			congestion_ring ring(16, 2, 1);
			const congestion_message m = {uint8_t(to), 7, 1};
			ASSERT_TRUE(ring.send(from, m));
			const std::vector<heard> all = steps(ring, 40);
			ASSERT_EQ(all.size(), 1u);
			EXPECT_EQ(all[0].m, m);
			EXPECT_EQ(all[0].cycle, 1 + 2 * ((to - from) & 15));
		}
}

TEST(ring, links_go_one_way_each)
{
	for (ring_direction d : {ring_direction::forward, ring_direction::backward, ring_direction::alternate})
		for (unsigned from = 0; from < 16; from++)
			for (unsigned to = 0; to < 16; to++) {
				if (from == to)
					continue;
				congestion_ring ring(16, 2, 1, d);
				ASSERT_TRUE(ring.send(from, {uint8_t(to), 7, 1}));
				const bool back = d == ring_direction::backward ||
						  (d == ring_direction::alternate && to / 4 % 2 == 1);
				const unsigned hops = (back ? from - to : to - from) & 15;
				const std::vector<heard> all = steps(ring, 40);
				ASSERT_EQ(all.size(), 1u);
				EXPECT_EQ(all[0].m.grid, to);
				EXPECT_EQ(all[0].cycle, 1 + 2 * hops) << from << " to " << to;
			}
}

TEST(ring, grids_stand_in_the_order_that_is_given)
{
	const std::vector<uint8_t> snake = {0, 1, 3, 2};
	const unsigned position[] = {0, 1, 3, 2};
	for (unsigned from = 0; from < 4; from++)
		for (unsigned to = 0; to < 4; to++) {
			congestion_ring ring(4, 2, 1, ring_direction::forward, snake);
			if (from == to)
				continue;
			ASSERT_TRUE(ring.send(from, {uint8_t(to), 3, 0}));
			const std::vector<heard> all = steps(ring, 20);
			ASSERT_EQ(all.size(), 1u);
			EXPECT_EQ(all[0].cycle, 1 + 2 * ((position[to] - position[from]) & 3));
		}
	EXPECT_THROW(congestion_ring(4, 2, 1, ring_direction::forward, {0, 1, 1, 2}), std::invalid_argument);
}

TEST(ring, what_is_on_the_way_goes_first)
{
	congestion_ring ring(16, 2, 1);
	ring.send(0, {8, 1, 0});
	steps(ring, 2); // it stands one register before grid 1
	ring.send(1, {9, 2, 0});
	const std::vector<heard> all = steps(ring, 40, 3);
	ASSERT_EQ(all.size(), 2u);
	EXPECT_EQ(all[0].m.grid, 8);
	EXPECT_EQ(all[0].cycle, 17u); // not held up
	EXPECT_EQ(all[1].cycle, 20u); // a cycle later than from a free ring
}

// Grids 8 to 11 share a link, 12 to 15 have another.
TEST(ring, links_do_not_hinder_each_other)
{
	congestion_ring ring(16, 2, 1);
	ring.send(0, {8, 1, 0});
	steps(ring, 2);
	ring.send(1, {13, 2, 0});
	for (const heard &h : steps(ring, 40, 3))
		EXPECT_EQ(h.cycle, h.m.grid == 8 ? 17u : 27u);
}

TEST(ring, a_full_queue_drops)
{
	congestion_ring ring(16, 2, 2);
	EXPECT_TRUE(ring.send(0, {5, 1, 0}));
	EXPECT_TRUE(ring.send(0, {6, 2, 0}));
	EXPECT_FALSE(ring.send(0, {7, 3, 0}));
	EXPECT_EQ(ring.dropped(), 1u);
	const std::vector<heard> all = steps(ring, 40);
	ASSERT_EQ(all.size(), 2u);
	EXPECT_EQ(all[0].m.grid, 5); // in order
	EXPECT_EQ(all[1].m.grid, 6);
}

// Against a message that is asked for by itself: every one arrives once, whole, at its grid.
TEST(ring, nothing_is_lost_or_doubled_under_load)
{
	congestion_ring ring(16, 2, 3);
	random_stream random(9);
	std::vector<unsigned> sent(1u << message_bits), received(sent.size());
	const auto hear = [&](const congestion_message &m) { received[encode(m)]++; };
	for (unsigned c = 0; c < 20000; c++) {
		for (unsigned g = 0; g < 16; g++) {
			const congestion_message m = {uint8_t(random.below(16)), uint8_t(random.below(16)),
						      uint8_t(random.below(2))};
			if (random.below(8) == 0 && m.grid != g && ring.send(g, m))
				sent[encode(m)]++;
		}
		ring.step(hear);
	}
	// Nobody starts anything more: what waits finds the ring free.
	for (unsigned c = 0; c < 16 * 2 * 5; c++)
		ring.step(hear);
	EXPECT_EQ(sent, received);
	EXPECT_GT(ring.dropped(), 0u);
}

// Through traffic can hold a grid up for as long as others send without a gap; with a gap it goes.
TEST(ring, a_grid_starves_while_the_ring_is_full)
{
	congestion_ring ring(16, 2, 1);
	unsigned from_5 = 0;
	const auto hear = [&](const congestion_message &m) { from_5 += m.latency == 5; };
	ring.send(5, {8, 5, 0});
	for (unsigned c = 0; c < 8; c++) { // grid 4's messages pass grid 5 from cycle 3 on, so grid 5 starts at once
		ring.send(4, {8, 4, 0});
		ring.step(hear);
	}
	EXPECT_EQ(from_5, 1u);
	for (unsigned c = 0; c < 200; c++) {
		ring.send(5, {8, 5, 0});
		ring.send(4, {8, 4, 0});
		ring.step(hear);
	}
	EXPECT_LE(from_5, 2u);
	for (unsigned c = 0; c < 20; c++)
		ring.step(hear);
	EXPECT_GE(from_5, 2u);
}
