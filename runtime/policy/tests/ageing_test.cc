// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/ageing.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace het::rt
{

namespace
{

constexpr uint64_t step = 1000;

uint32_t bit(int level)
{
	return uint32_t{1} << index_of_level(level);
}

TEST(Ageing, TheMostUrgentComesFirst)
{
	ageing a(step);
	EXPECT_EQ(a.choose(bit(-8) | bit(0) | bit(7), 5), index_of_level(7));
	EXPECT_EQ(a.choose(bit(-8) | bit(0), 6), index_of_level(0));
	EXPECT_EQ(a.choose(bit(-8), 7), index_of_level(-8));
}

TEST(Ageing, WhoHasWaitedStepsIsAsUrgentAsOneWhoIsSoManyLevelsAbove)
{
	ageing a(step);
	EXPECT_EQ(a.choose(bit(0) | bit(2), 0), index_of_level(2));
	// The upper one has waited since it was served, too.
	EXPECT_EQ(a.choose(bit(0) | bit(2), step), index_of_level(2));
	EXPECT_EQ(a.choose(bit(0) | bit(2), 3 * step), index_of_level(2));
	EXPECT_EQ(a.choose(bit(0) | bit(2), 3 * step + 1), index_of_level(0));
	EXPECT_EQ(a.choose(bit(0) | bit(2), 3 * step + 2), index_of_level(2));
}

TEST(Ageing, ALevelThatHadNothingBeginsAnew)
{
	ageing a(step);
	a.choose(bit(0) | bit(3), 0);
	a.choose(bit(3), 2 * step);
	EXPECT_EQ(a.choose(bit(0) | bit(3), 9 * step), index_of_level(3));
	EXPECT_EQ(a.choose(bit(0) | bit(3), 9 * step + 1), index_of_level(3));
}

TEST(Ageing, LookingServesNobody)
{
	ageing a(step);
	EXPECT_EQ(a.look(bit(0) | bit(1), 0), index_of_level(1));
	EXPECT_EQ(a.look(bit(0) | bit(1), 9 * step), index_of_level(1));
	EXPECT_EQ(a.choose(bit(0) | bit(1), 9 * step), index_of_level(1));
	EXPECT_EQ(a.choose(bit(0) | bit(1), 9 * step + 1), index_of_level(0));
}

// On a simulated clock levels come and go, with pieces of any length, while the uppermost always has work.
TEST(Ageing, NobodyWaitsBeyondTheBound)
{
	std::mt19937_64 random(1);
	for (uint64_t longest : {1ul, 10ul, step, 20 * step}) {
		ageing a(step);
		uint64_t now = 0, since[level_count] = {}, most = 0, served[level_count] = {};
		uint32_t waiting = 0;
		for (unsigned n = 0; n < 20000; n++) {
			uint32_t more = n % 1000 < 500 ? ~uint32_t{0} >> (32 - level_count) : uint32_t(random());
			more = (more | bit(highest_level)) & (~uint32_t{0} >> (32 - level_count));
			for (unsigned i = 0; i < level_count; i++)
				if (more >> i & ~waiting >> i & 1)
					since[i] = now;
			waiting |= more;
			unsigned next = a.choose(waiting, now);
			ASSERT_TRUE(waiting >> next & 1);
			most = std::max(most, now - since[next]);
			served[next]++;
			since[next] = now;
			waiting = n % 3 ? waiting : waiting & ~(uint32_t{1} << next);
			now += 1 + random() % longest;
		}
		EXPECT_LE(most, a.most_wait(longest)) << longest;
		EXPECT_GT(served[0], 0u) << longest;
		EXPECT_TRUE(longest > 1 || served[level_count - 1] > 100 * served[0]);
	}
}

} // namespace

} // namespace het::rt
