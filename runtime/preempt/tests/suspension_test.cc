// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "preempt/suspension.h"

#include <gtest/gtest.h>
#include <random>

namespace het::rt
{

namespace
{

using answer = suspension::answer;
constexpr patience p = {.longest_ns = 1000, .least_ns = 100, .stay_ns = 50, .moment_ns = 3};

TEST(Suspension, EndsAMomentAfterWhatIsMoreUrgent)
{
	suspension s(p);
	s.begin(1000);
	EXPECT_EQ(s.look(1001, true), answer::wait);
	EXPECT_EQ(s.look(1500, true), answer::wait);
	EXPECT_EQ(s.look(1501, false), answer::wait);
	EXPECT_EQ(s.look(1502, true), answer::wait);
	EXPECT_EQ(s.look(1504, false), answer::wait);
	EXPECT_EQ(s.look(1505, false), answer::go_on);
	EXPECT_EQ(s.protected_until(), 0u);
}

TEST(Suspension, PatienceEndsAndHalves)
{
	suspension s(p);
	uint64_t now = 10000;
	for (uint64_t wait : {1000u, 500u, 250u, 125u, 100u, 100u}) {
		s.begin(now);
		EXPECT_EQ(s.look(now + wait - 1, true), answer::wait);
		EXPECT_EQ(s.look(now + wait, true), answer::go_on_protected);
		now += wait;
		EXPECT_EQ(s.protected_until(), now + 50);
		now += 50;
	}
	// One stay that nothing forced, and it is as patient as before.
	s.begin(now);
	EXPECT_EQ(s.look(now + 10, false), answer::go_on);
	now += 60;
	s.begin(now);
	EXPECT_EQ(s.look(now + 999, true), answer::wait);
}

TEST(Suspension, StaysThatAreTooShortDoNotCount)
{
	suspension s(p);
	uint64_t now = 10000, waited = 0;
	for (;;) {
		s.begin(now);
		answer a = s.look(now + 99, true);
		if (a == answer::wait)
			a = s.look(now += 103, false);
		if (a == answer::go_on_protected)
			break;
		ASSERT_EQ(a, answer::go_on);
		waited += 103;
		ASSERT_LE(waited, 1000u);
		now += 49;
	}
	EXPECT_GT(waited, 800u);
}

// On a simulated clock, with others there all the time or in random gaps, work of any length comes to its end within
// the bound.
TEST(Suspension, NobodyStarves)
{
	std::mt19937_64 random(1);
	for (unsigned gaps : {0u, 1u, 5u, 40u})
		for (uint64_t work : {1u, 49u, 1000u, 100000u}) {
			suspension s(p);
			uint64_t now = 10000, done = 0, waited = 0;
			while (done < work) {
				s.begin(now);
				answer a;
				while ((a = s.look(now, gaps == 0 || random() % 100 >= gaps)) == answer::wait) {
					now++;
					waited++;
				}
				// What is not protected is stopped again at once, or a little later.
				uint64_t stays = a == answer::go_on ? random() % 20 : s.protected_until() - now;
				stays = std::min(stays, work - done);
				now += stays;
				done += stays;
			}
			// All waits for 50 of work are 100 but the first, which are 1000, 500, 250 and 125.
			EXPECT_LE(waited, 1875 + (work + 49) / 50 * 100) << work << ", " << gaps;
		}
}

} // namespace

} // namespace het::rt
