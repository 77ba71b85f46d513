// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/unseen.h"

#include <gtest/gtest.h>
#include <vector>

using namespace het::rt;

namespace
{

constexpr kernel_rates slow = {1e9, 1e9}, fast = {10e9, 10e9}, counting = {1e9, 100e9}, moving = {100e9, 1e9}, unknown;

newcomer at_home(const kernel_rates &r)
{
	return {r, 1e6, 0, 1e9};
}

candidate with_speed(double speed)
{
	return {speed, 0, 0, 1e9};
}

} // namespace

TEST(choose_unseen, takes_another_one_only_if_it_is_better_in_any_case)
{
	const auto chosen = [](std::vector<newcomer> all) { return choose_unseen(all); };
	EXPECT_EQ(chosen({at_home(slow), at_home(fast)}), 1u);
	EXPECT_EQ(chosen({at_home(fast), at_home(slow)}), 0u);
	EXPECT_EQ(chosen({at_home(counting), at_home(moving)}), 0u);
	EXPECT_EQ(chosen({at_home(moving), at_home(counting)}), 0u);
	EXPECT_EQ(chosen({at_home(slow), at_home(counting), at_home(fast)}), 1u); // which is better than the first
	EXPECT_EQ(chosen({at_home(slow), at_home({1.05e9, 1.05e9})}), 0u);        // profiles are not so precise
}

TEST(choose_unseen, knows_what_has_to_travel)
{
	newcomer far = at_home(fast);
	far.missing = 1e6; // takes as long as the slow one's memory
	EXPECT_EQ(choose_unseen(std::vector{at_home(slow), far}), 0u);
	far.missing = 0.5e6;
	EXPECT_EQ(choose_unseen(std::vector{at_home(slow), far}), 1u);
}

TEST(choose_unseen, knows_what_a_launch_costs)
{
	newcomer idle = at_home(fast); // takes 0.1 ms, and the slow one 1 ms
	idle.rates.launch = 1e-3;
	EXPECT_EQ(choose_unseen(std::vector{at_home(slow), idle}), 0u);
	idle.rates.launch = 0.5e-3;
	EXPECT_EQ(choose_unseen(std::vector{at_home(slow), idle}), 1u);
}

TEST(choose_unseen, takes_launches_that_no_profile_tells_of_for_no_gain)
{
	newcomer first = at_home(slow), other = at_home(slow);
	first.rates.launch = 1e-3;
	EXPECT_EQ(choose_unseen(std::vector{first, other}), 0u);
	EXPECT_EQ(choose_unseen(std::vector{other, first}), 0u);
	other.rates.launch = 1e-6;
	EXPECT_EQ(choose_unseen(std::vector{first, other}), 1u);
}

TEST(choose_unseen, takes_the_first_one_where_profiles_lack)
{
	EXPECT_EQ(choose_unseen(std::vector{at_home(unknown), at_home(fast)}), 0u);
	EXPECT_EQ(choose_unseen(std::vector{at_home(slow), at_home(unknown), at_home(fast)}), 2u);
	EXPECT_EQ(choose_unseen(std::vector{at_home({5e9, 0}), at_home(fast)}), 0u);
}

TEST(bound_unseen, is_the_most_that_others_allow)
{
	std::vector<candidate> all = {with_speed(100), with_speed(0), with_speed(0), with_speed(0)};
	const std::vector<kernel_rates> rates = {fast, slow, counting, unknown};
	bound_unseen(all, rates);
	EXPECT_EQ(all[0].speed, 100);
	EXPECT_FALSE(all[0].is_bound);
	EXPECT_EQ(all[1].speed, 10);
	EXPECT_EQ(all[2].speed, 1000); // if the kernel waits for arithmetic
	EXPECT_EQ(all[3].speed, 0);
	EXPECT_TRUE(all[1].is_bound && all[2].is_bound);
	EXPECT_FALSE(all[1].is_sure || all[2].is_sure);
}

TEST(bound_unseen, is_nothing_where_those_that_are_known_have_no_profile)
{
	std::vector<candidate> all = {with_speed(100), with_speed(0)};
	const std::vector<kernel_rates> rates = {unknown, fast};
	bound_unseen(all, rates);
	EXPECT_EQ(all[1].speed, 0);
	EXPECT_FALSE(all[1].is_bound);
}

TEST(bound_unseen, takes_the_lowest_of_several)
{
	std::vector<candidate> all = {with_speed(100), with_speed(50), with_speed(0)};
	const std::vector<kernel_rates> rates = {fast, fast, fast};
	bound_unseen(all, rates);
	EXPECT_EQ(all[2].speed, 50);
}

// The first device of the list was tried as long as it was unknown, however slow it is.
TEST(bound_unseen, keeps_a_slow_device_from_being_tried)
{
	std::vector<candidate> all = {with_speed(0), with_speed(1000)};
	EXPECT_EQ(place(all, 1000), 0u);
	bound_unseen(all, std::vector{slow, fast});
	EXPECT_EQ(place(all, 1000), 1u);
	all[1].ahead = 20; // so much that the slow one is done before
	EXPECT_EQ(place(all, 1000), 0u);
	all = {with_speed(1000), with_speed(0)}; // one that may be faster is tried
	bound_unseen(all, std::vector{slow, counting});
	EXPECT_EQ(place(all, 1000), 1u);
}

TEST(guess_shares, are_by_what_devices_can_do)
{
	double speeds[2] = {3, 4};
	EXPECT_FALSE(guess_shares(std::vector{at_home(fast), at_home(unknown)}, speeds));
	EXPECT_EQ(speeds[0], 3);
	ASSERT_TRUE(guess_shares(std::vector{at_home(fast), at_home(slow)}, speeds));
	EXPECT_NEAR(speeds[0] / speeds[1], 10, 1e-9);
	ASSERT_TRUE(guess_shares(std::vector{at_home(counting), at_home(slow)}, speeds));
	EXPECT_NEAR(speeds[0] / speeds[1], 10, 1e-9); // between 1 and 100
}

TEST(guess_shares, are_by_launches_if_all_profiles_tell)
{
	newcomer one = at_home(fast), other = at_home(slow);
	one.used = other.used = 0;
	double speeds[2] = {3, 4};
	EXPECT_FALSE(guess_shares(std::vector{one, other}, speeds));
	one.rates.launch = 1e-6;
	EXPECT_FALSE(guess_shares(std::vector{one, other}, speeds)); // or the other would be infinitely quick
	EXPECT_EQ(speeds[1], 4);
	other.rates.launch = 10e-6;
	ASSERT_TRUE(guess_shares(std::vector{one, other}, speeds));
	EXPECT_NEAR(speeds[0] / speeds[1], 10, 1e-9);
	one.used = other.used = 1e6;
	other.rates.launch = 0;
	one.rates.launch = 1;
	ASSERT_TRUE(guess_shares(std::vector{one, other}, speeds));
	EXPECT_NEAR(speeds[0] / speeds[1], 10, 1e-9);
}
