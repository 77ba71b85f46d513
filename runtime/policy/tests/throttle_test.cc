// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/throttle.h"

#include <gtest/gtest.h>

namespace het::rt
{

namespace
{

constexpr throttle::settings usual{100, 1000, 1, 1, 1, true};

std::vector<unsigned> running(const throttle &t)
{
	std::vector<unsigned> all;
	for (unsigned u = 0; u < t.size(); u++)
		if (t.runs(u))
			all.push_back(u);
	return all;
}

using units = std::vector<unsigned>;

} // namespace

TEST(throttle, half_of_the_units_stop_at_first)
{
	EXPECT_EQ(running(throttle(8, usual, 0)), (units{0, 1, 2, 3}));
	EXPECT_EQ(running(throttle(5, usual, 0)), (units{0, 1, 2}));
	EXPECT_EQ(running(throttle(1, usual, 0)), (units{0}));
}

TEST(throttle, without_a_fault_who_stopped_last_goes_on)
{
	throttle t(8, usual, 50);
	EXPECT_EQ(t.ends(), 150u);
	t.look(149);
	EXPECT_EQ(t.running(), 4u);
	t.look(150);
	EXPECT_EQ(running(t), (units{0, 1, 2, 3, 4}));
	EXPECT_EQ(t.ends(), 1150u) << "an execution phase follows";
}

TEST(throttle, a_fault_without_an_eviction_changes_nothing)
{
	throttle t(8, usual, 0);
	t.faulted(2, 10);
	EXPECT_EQ(t.ends(), throttle::never);
	t.look(5000);
	t.served(2, 5000);
	EXPECT_EQ(t.running(), 4u);
	EXPECT_EQ(t.ends(), 6000u);
}

TEST(throttle, who_faults_stops_when_it_is_served_if_something_was_evicted)
{
	throttle t(8, usual, 0);
	t.faulted(2, 10);
	t.faulted(3, 11); // only the first one counts
	t.evicted();
	EXPECT_TRUE(t.runs(2));
	t.served(3, 20);
	EXPECT_TRUE(t.runs(2));
	t.served(2, 30);
	EXPECT_EQ(running(t), (units{0, 1, 3}));
	EXPECT_EQ(t.ends(), 1030u);
	EXPECT_EQ(t.changes(), 5u);
}

TEST(throttle, an_eviction_before_the_fault_counts_and_one_before_the_phase_does_not)
{
	throttle t(4, usual, 0);
	t.evicted();
	t.faulted(0, 10);
	t.served(0, 20);
	EXPECT_EQ(running(t), (units{1}));
	t.evicted(); // in the execution phase
	t.look(1020);
	t.faulted(1, 1030);
	t.served(1, 1040);
	EXPECT_EQ(running(t), (units{1}));
}

TEST(throttle, nothing_changes_in_an_execution_phase)
{
	throttle t(4, usual, 0);
	t.look(100);
	EXPECT_EQ(t.running(), 3u);
	t.evicted();
	t.faulted(0, 500);
	t.served(0, 600);
	EXPECT_EQ(t.running(), 3u);
	t.look(1099);
	EXPECT_EQ(t.running(), 3u);
	t.look(1200); // execution until 1100, detection until 1200
	EXPECT_EQ(t.running(), 4u);
}

TEST(throttle, the_last_ones_always_run)
{
	throttle t(2, usual, 0);
	t.evicted();
	t.faulted(0, 1);
	t.served(0, 2);
	EXPECT_EQ(t.running(), 1u);
	throttle two(8, {100, 1000, 1, 1, 3, true}, 0);
	two.evicted();
	two.faulted(0, 1);
	two.served(0, 2);
	two.look(1002);
	two.evicted();
	two.faulted(1, 1003);
	two.served(1, 1004);
	EXPECT_EQ(two.running(), 3u);
}

TEST(throttle, who_stopped_last_goes_on_first)
{
	throttle t(4, {100, 10, 1, 1, 1, true}, 0);
	t.evicted();
	t.faulted(0, 1);
	t.served(0, 2); // execution until 12, detection until 112
	t.look(112);
	EXPECT_EQ(running(t), (units{0, 1}));
	t.look(222);
	EXPECT_EQ(running(t), (units{0, 1, 2}));
}

TEST(throttle, steps_of_several)
{
	throttle down(8, {100, 1000, 3, 1, 1, true}, 0);
	down.evicted();
	down.faulted(1, 1);
	down.served(1, 2);
	EXPECT_EQ(running(down), (units{0})) << "1 has faulted, 3 and 2 go with it";
	throttle up(8, {100, 1000, 1, 3, 1, true}, 0);
	up.look(100);
	EXPECT_EQ(up.running(), 7u);
}

TEST(throttle, half_for_good)
{
	throttle t(6, {100, 1000, 1, 1, 1, false}, 0);
	EXPECT_EQ(t.ends(), throttle::never);
	t.evicted();
	t.faulted(0, 1);
	t.served(0, 2);
	t.look(1'000'000);
	EXPECT_EQ(running(t), (units{0, 1, 2}));
}

} // namespace het::rt
