// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/calibration.h"

#include <gtest/gtest.h>
#include <random>

using namespace het::rt;

namespace
{

constexpr unsigned both[] = {3, 7};

double share_of_first(calibration &c)
{
	double speeds[] = {0, 0};
	EXPECT_TRUE(c.choose(both, speeds));
	return speeds[0] / (speeds[0] + speeds[1]);
}

} // namespace

TEST(calibration, says_nothing_before_all_devices_are_known)
{
	calibration c;
	double speeds[] = {5, 6};
	EXPECT_FALSE(c.choose(both, speeds));
	c.note(3, 100);
	EXPECT_FALSE(c.choose(both, speeds));
	EXPECT_EQ(speeds[0], 5);
	EXPECT_EQ(speeds[1], 6);
	c.note(7, 300);
	EXPECT_NEAR(share_of_first(c), 0.25, 1e-9);
}

TEST(calibration, shares_do_not_follow_noise)
{
	calibration c;
	std::mt19937 random(1);
	c.note(3, 100);
	c.note(7, 100);
	double first = share_of_first(c);
	for (int i = 0; i < 1000; i++) {
		c.note(3, 95 + double(random() % 11));
		c.note(7, 95 + double(random() % 11));
		ASSERT_EQ(share_of_first(c), first);
	}
}

TEST(calibration, shares_follow_a_change)
{
	calibration c;
	c.preset(3, 100);
	c.preset(7, 100);
	EXPECT_NEAR(share_of_first(c), 0.5, 1e-9);
	for (int i = 0; i < 20; i++)
		c.note(3, 300);
	EXPECT_NEAR(share_of_first(c), 0.75, 0.04);
}
