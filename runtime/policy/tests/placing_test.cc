// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/placing.h"

#include <gtest/gtest.h>
#include <vector>

using namespace het::rt;

namespace
{

size_t placed(std::vector<candidate> c)
{
	return place(c, 1000);
}

} // namespace

TEST(placing, nothing_is_known)
{
	EXPECT_EQ(placed({{0, 0, 0, 1}}), 0u);
	EXPECT_EQ(placed({{0, 5, 100, 1}, {0, 0, 0, 1}}), 0u);
}

TEST(placing, the_first_is_tried_though_others_are_known)
{
	EXPECT_EQ(placed({{0, 0, 0, 1}, {1000, 0, 0, 1}}), 0u);
	EXPECT_EQ(placed({{0, 1, 0, 1}, {1000, 0, 0, 1}}), 1u);
}

TEST(placing, the_faster)
{
	EXPECT_EQ(placed({{1000, 0, 0, 1}, {3000, 0, 0, 1}}), 1u);
	EXPECT_EQ(placed({{3000, 0, 0, 1}, {1000, 0, 0, 1}}), 0u);
}

TEST(placing, equals_go_to_the_first)
{
	EXPECT_EQ(placed({{1000, 0, 0, 1}, {1000, 0, 0, 1}}), 0u);
}

TEST(placing, work_ahead_counts)
{
	EXPECT_EQ(placed({{1000, 1.1, 0, 1}, {500, 0, 0, 1}}), 1u);
	EXPECT_EQ(placed({{1000, 0.9, 0, 1}, {500, 0, 0, 1}}), 0u);
}

TEST(placing, transfers_count)
{
	EXPECT_EQ(placed({{1000, 0, 0, 10}, {10000, 0, 8, 10}}), 1u);
	EXPECT_EQ(placed({{1000, 0, 0, 10}, {10000, 0, 10, 10}}), 0u);
}

TEST(placing, an_idle_stranger_is_tried_when_others_have_much_ahead)
{
	EXPECT_EQ(placed({{1000, 0.01, 0, 1}, {0, 0, 0, 1}}), 0u);
	EXPECT_EQ(placed({{1000, 1, 0, 1}, {0, 0, 0, 1}}), 1u);
	EXPECT_EQ(placed({{1000, 1, 0, 1}, {0, 0.1, 0, 1}}), 0u);
	EXPECT_EQ(placed({{1000, 1, 0, 1}, {0, 0, 0, 1}, {1000, 0, 0, 1}}), 2u);
}
