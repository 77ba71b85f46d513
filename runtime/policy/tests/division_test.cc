// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests how launches are cut, and when they are not.
#include "policy/division.h"

#include <gtest/gtest.h>
#include <vector>

using namespace het::rt;

namespace
{

TEST(division, rows_lie_along_the_last_dimension_with_several_groups)
{
	EXPECT_EQ(divide({1, {1024, 1, 1}, {64, 1, 1}, {}}).count, 16u);
	division plane = divide({2, {64, 48, 1}, {8, 4, 1}, {}});
	EXPECT_EQ(plane.along, 1u);
	EXPECT_EQ(plane.count, 12u);
	division flat = divide({3, {64, 48, 1}, {8, 4, 1}, {}});
	EXPECT_EQ(flat.along, 1u);
	EXPECT_EQ(divide({2, {64, 4, 1}, {8, 4, 1}, {}}).along, 0u);
	EXPECT_EQ(plane.why_not, nullptr);
}

TEST(division, what_can_not_be_cut_says_why)
{
	EXPECT_STREQ(divide({1, {64, 1, 1}, {64, 1, 1}, {}}).why_not, "it has one group");
	EXPECT_STREQ(divide({1, {100, 1, 1}, {64, 1, 1}, {}}).why_not, "its size is not a multiple of its groups'");
	const size_t many = size_t{1} << 32;
	EXPECT_STREQ(divide({1, {many, 1, 1}, {64, 1, 1}, {}}).why_not, "it has more than 2^32 work-items in a row");
	EXPECT_EQ(divide({1, {many - 64, 1, 1}, {64, 1, 1}, {}}).why_not, nullptr);
	EXPECT_NE(divide({1, {many - 64, 1, 1}, {64, 1, 1}, {64, 0, 0}}).why_not, nullptr);
}

TEST(division, a_group_divides_all_and_fits_everywhere)
{
	EXPECT_EQ(choose_group(4096, 1024), 256u);
	EXPECT_EQ(choose_group(4096, 100), 64u);
	EXPECT_EQ(choose_group(48, 1024), 16u);
	EXPECT_EQ(choose_group(7, 1024), 1u);
}

struct launch_of {
	explicit launch_of(size_t rows, std::vector<double> rows_a_second = {100, 100},
			   std::vector<size_t> least = {1, 1})
	    : speeds(std::move(rows_a_second)), busy(std::move(least)), grains(speeds.size())
	{
		p = {.rows = rows,
		     .speeds = speeds,
		     .busy_rows = busy,
		     .known = true,
		     .seconds = 0,
		     .has_twins = false,
		     .twin_seconds = 0,
		     .asked = nullptr};
	}
	chosen_policy choose()
	{
		choose_grains(p, grains);
		return choose_policy(p, grains);
	}

	std::vector<double> speeds;
	std::vector<size_t> busy, grains;
	prospect p;
};

TEST(division, a_block_is_worth_its_launch_and_keeps_its_device_busy)
{
	launch_of l(1280, {100, 100}, {3, 40});
	l.choose();
	EXPECT_EQ(l.grains, (std::vector<size_t>{10, 40}));
	launch_of few(4, {1, 1}, {0, 100});
	few.choose();
	EXPECT_EQ(few.grains, (std::vector<size_t>{1, 4}));
}

TEST(division, what_one_device_does_in_no_time_it_does_alone)
{
	EXPECT_EQ(launch_of(1000).choose().make, find_policy("steal"));
	EXPECT_EQ(launch_of(1000, {1e6, 1}).choose().make, find_policy("single"));
	launch_of guessed(1000, {1e6, 1});
	guessed.p.known = false;
	EXPECT_EQ(guessed.choose().make, find_policy("steal"));
	EXPECT_EQ(guessed.choose().block_seconds, 0);
	EXPECT_EQ(launch_of(7, {1, 1}, {4, 4}).choose().make, find_policy("single"));
	EXPECT_EQ(launch_of(8, {1, 1}, {4, 4}).choose().make, find_policy("steal"));
}

// Bodies on two GPUs of 132 units: 2048 groups do not keep one of them busy.
TEST(division, what_lasts_long_is_shared_although_it_keeps_nobody_busy)
{
	launch_of bodies(2048, {1e5, 1e5}, {2112, 2112});
	EXPECT_EQ(bodies.choose().make, find_policy("single"));
	bodies.p.seconds = 0.018;
	EXPECT_EQ(bodies.choose().make, find_policy("steal"));
	EXPECT_EQ(bodies.grains, (std::vector<size_t>{1024, 1024}));
	launch_of unlike(2048, {3e4, 1e4}, {2112, 16});
	unlike.p.seconds = 0.018;
	unlike.choose();
	EXPECT_EQ(unlike.grains, (std::vector<size_t>{1536, 16}));
	launch_of one(1, {1, 1}, {16, 16});
	one.p.seconds = 1;
	EXPECT_EQ(one.choose().make, find_policy("single"));
}

TEST(division, a_policy_that_was_asked_for_is_taken)
{
	launch_of l(1000, {1e6, 1});
	l.p.asked = "dynamic";
	EXPECT_EQ(l.choose().make, find_policy("dynamic"));
	l.p.asked = "nonsense";
	chosen_policy c = l.choose();
	EXPECT_EQ(c.make, nullptr);
	EXPECT_EQ(c.why_one, nullptr);
}

TEST(division, twins_must_be_worth_it)
{
	launch_of l(1000);
	l.p.has_twins = true;
	l.p.twin_seconds = 4.9;
	EXPECT_EQ(l.choose().make, find_policy("steal"));
	l.p.twin_seconds = 5.1; // the second device saves five seconds only
	EXPECT_NE(l.choose().why_one, nullptr);
	l.p.asked = "steal";
	EXPECT_EQ(l.choose().make, find_policy("steal"));
	l.p.asked = "single";
	EXPECT_STREQ(l.choose().why_one, "the policy gives it to one");
}

} // namespace
