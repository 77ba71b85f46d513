// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/lane_pool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

using namespace het;

TEST(lane_pool, lends_each_lane_once_and_the_lowest_first)
{
	lane_pool pool(3, 4);
	for (unsigned lane : {3u, 4u, 5u, 6u})
		EXPECT_EQ(pool.borrow(), lane);
	pool.give_back(5);
	pool.give_back(4);
	EXPECT_EQ(pool.borrow(), 4u);
	EXPECT_EQ(pool.borrow(), 5u);
}

TEST(lane_pool, lends_as_many_as_it_can_hold)
{
	lane_pool pool(0, lane_pool::max_lanes);
	std::set<unsigned> lanes;
	for (unsigned i = 0; i < lane_pool::max_lanes; i++)
		lanes.insert(pool.borrow());
	EXPECT_EQ(lanes.size(), lane_pool::max_lanes);
}

TEST(lane_pool, a_lane_that_is_back_is_lent_again)
{
	lane_pool pool(2, 1);
	for (int i = 0; i < 3; i++) {
		unsigned lane = pool.borrow();
		EXPECT_EQ(lane, 2u);
		pool.give_back(lane);
	}
}

TEST(lane_pool, borrower_waits_until_a_lane_is_back)
{
	lane_pool pool(0, 1);
	unsigned lane = pool.borrow();
	std::atomic<bool> got{false};
	std::thread waiter([&] {
		unsigned mine = pool.borrow();
		got = true;
		pool.give_back(mine);
	});
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	EXPECT_FALSE(got);
	pool.give_back(lane);
	waiter.join();
	EXPECT_TRUE(got);
}

TEST(lane_pool, a_lane_has_one_owner_at_a_time)
{
	constexpr unsigned first = 2, lanes = 3;
	lane_pool pool(first, lanes);
	// The counts are not atomic: two owners at once would lose some, and ThreadSanitizer would see them.
	unsigned uses[lanes] = {};
	std::vector<std::thread> threads(8);
	for (auto &t : threads)
		t = std::thread([&] {
			for (int i = 0; i < 2000; i++) {
				unsigned lane = pool.borrow();
				uses[lane - first]++;
				pool.give_back(lane);
			}
		});
	for (auto &t : threads)
		t.join();
	EXPECT_EQ(uses[0] + uses[1] + uses[2], 8u * 2000u);
}
