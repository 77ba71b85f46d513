// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "preempt/suspension.h"

#include <gtest/gtest.h>

namespace het::rt
{

namespace
{

using answer = suspension::answer;
constexpr patience p = {.longest_ns = 1000, .least_ns = 100, .stay_ns = 50};

TEST(Suspension, EndsWithWhatIsMoreUrgent)
{
	suspension s(p);
	s.begin(10);
	EXPECT_EQ(s.look(11, true), answer::wait);
	EXPECT_EQ(s.look(500, true), answer::wait);
	EXPECT_EQ(s.look(501, false), answer::go_on);
	EXPECT_EQ(s.protected_until(), 0u);
}

TEST(Suspension, PatienceEndsAndHalves)
{
	suspension s(p);
	uint64_t now = 0;
	for (uint64_t wait : {1000u, 500u, 250u, 125u, 100u, 100u}) {
		s.begin(now);
		EXPECT_EQ(s.look(now + wait - 1, true), answer::wait);
		EXPECT_EQ(s.look(now + wait, true), answer::go_on_protected);
		now += wait;
		EXPECT_EQ(s.protected_until(), now + 50);
		now += 50;
	}
	// One time without others, and it is as patient as before.
	s.begin(now);
	EXPECT_EQ(s.look(now + 1, false), answer::go_on);
	s.begin(now);
	EXPECT_EQ(s.look(now + 999, true), answer::wait);
}

// On a simulated clock, with others there all the time, work of any length comes to its end within the bound.
TEST(Suspension, NobodyStarves)
{
	for (uint64_t work : {1u, 49u, 1000u, 100000u}) {
		suspension s(p);
		uint64_t now = 0, done = 0;
		while (done < work) {
			s.begin(now);
			while (s.look(now, true) == answer::wait)
				now++;
			uint64_t stays = std::min(work - done, s.protected_until() - now);
			now += stays;
			done += stays;
		}
		// All waits but the shortest are 1000 + 500 + 250 + 125.
		EXPECT_LE(now, 1875 + (work + 49) / 50 * (50 + 100)) << work;
	}
}

} // namespace

} // namespace het::rt
