// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/spinner.h"

#include "os/clock.h"

#include <gpuvm.h>
#include <gtest/gtest.h>

using het::now_ns, het::spinner;

namespace
{

constexpr unsigned many_cores = 8;
constexpr uint64_t long_after = 400000; // ns

// A listener spins in vain.
uint64_t spin_in_vain(spinner &s)
{
	uint64_t budget = s.budget(), from = now_ns();
	return s.before_sleep(budget, from);
}

TEST(spinner, a_leader_that_sleeps_is_woken_by_the_end_of_a_kernel)
{
	spinner s;
	s.open(0, many_cores);
	EXPECT_EQ(spin_in_vain(s), 0u);
	EXPECT_TRUE(s.kernel_ended());
	EXPECT_FALSE(s.kernel_ended()) << "it is awake by now";
}

TEST(spinner, a_leader_that_spins_is_left_alone_and_spins_on)
{
	spinner s;
	s.open(0, many_cores);
	uint64_t budget = s.budget(), from = now_ns();
	ASSERT_NE(budget, 0u);
	EXPECT_FALSE(s.kernel_ended());
	EXPECT_NE(s.before_sleep(budget, from), 0u);
	EXPECT_EQ(s.before_sleep(budget, now_ns()), 0u) << "no kernel has ended since";
	EXPECT_TRUE(s.kernel_ended());
}

// An end that no touch follows tells against the next, but not before the touch could have come.
TEST(spinner, ends_that_nobody_touches_after_wake_nobody)
{
	spinner s;
	s.open(0, many_cores);
	unsigned woken = 0;
	for (unsigned i = 0; i < 20; i++) {
		ASSERT_EQ(spin_in_vain(s), 0u);
		if (!s.kernel_ended())
			break;
		woken++;
		s.learn(0, now_ns(), false);
		het::sleep_ns(long_after);
		s.learn(0, now_ns(), false);
	}
	EXPECT_GT(woken, 0u);
	EXPECT_LT(woken, 20u);
	// Touches after ends do wake it again.
	bool wakes = false;
	for (unsigned i = 0; i < 1000 && !wakes; i++) {
		ASSERT_EQ(spin_in_vain(s), 0u);
		wakes = s.kernel_ended();
		s.learn(0, now_ns(), true);
	}
	EXPECT_TRUE(wakes);
}

TEST(spinner, without_a_core_to_spare_it_sleeps_at_once)
{
	spinner s;
	s.open(0, 2);
	EXPECT_EQ(s.budget(), 0u);
	EXPECT_EQ(s.before_sleep(0, now_ns()), 0u);
	EXPECT_FALSE(s.kernel_ended());
}

TEST(spinner, the_program_may_choose)
{
	spinner always, never;
	always.open(GPUVM_SPIN_ALWAYS, 1);
	never.open(GPUVM_SPIN_NEVER, many_cores);
	EXPECT_GT(always.budget(), long_after);
	EXPECT_EQ(never.budget(), 0u);
}

} // namespace
