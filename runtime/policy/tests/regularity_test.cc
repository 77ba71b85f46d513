// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/ahead.h"
#include "policy/regularity.h"
#include "policy/sharing.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace het::rt
{

TEST(regularity, ten_lines_an_access_are_irregular)
{
	regularity r;
	EXPECT_FALSE(r.is_known());
	r.accessed(1);
	r.accessed(18);
	EXPECT_TRUE(r.is_known());
	EXPECT_DOUBLE_EQ(r.lines_an_access(), 9.5);
	EXPECT_TRUE(r.is_regular());
	r.accessed(11);
	EXPECT_DOUBLE_EQ(r.lines_an_access(), 10);
	EXPECT_FALSE(r.is_regular());
}

TEST(regularity, techniques_are_those_of_the_class)
{
	EXPECT_EQ(techniques_of(true, false), (techniques{true, false, false}));
	EXPECT_EQ(techniques_of(true, true), (techniques{true, false, true}));
	EXPECT_EQ(techniques_of(false, false), (techniques{false, true, true}));
	EXPECT_EQ(techniques_of(false, true), (techniques{false, true, true}));
}

TEST(regularity, memory_is_freed_ahead_only_where_all_holds)
{
	EXPECT_TRUE(evicts_ahead({true, true, 99, 100}));
	EXPECT_FALSE(evicts_ahead({true, true, 100, 100}));
	EXPECT_FALSE(evicts_ahead({false, true, 99, 100}));
	EXPECT_FALSE(evicts_ahead({true, false, 99, 100}));
}

TEST(sharing, pieces_in_common)
{
	std::vector<used_bytes> apart = {{0, 100, 0}, {100, 200, 1}, {200, 200, 0}};
	EXPECT_FALSE(is_shared(apart, 100));
	EXPECT_TRUE(is_shared(apart, 150)) << "they lie in one piece";
	std::vector<used_bytes> own = {{0, 300, 0}, {50, 100, 0}};
	EXPECT_FALSE(is_shared(own, 10));
	std::vector<used_bytes> inside = {{0, 300, 0}, {50, 60, 0}, {280, 290, 1}};
	EXPECT_TRUE(is_shared(inside, 10));
}

// All pairs are looked at.
TEST(sharing, is_what_looking_at_all_pairs_tells)
{
	std::mt19937 random(1);
	for (int round = 0; round < 2000; round++) {
		std::vector<used_bytes> uses(random() % 5);
		for (used_bytes &u : uses) {
			u.begin = random() % 60;
			u.end = u.begin + random() % 12;
			u.launch = random() % 3;
		}
		const uint64_t granule = 1 + random() % 8;
		bool expected = false;
		for (const used_bytes &a : uses)
			for (const used_bytes &b : uses)
				expected |= a.launch != b.launch && a.begin < a.end && b.begin < b.end &&
					    a.begin / granule <= (b.end - 1) / granule &&
					    b.begin / granule <= (a.end - 1) / granule;
		EXPECT_EQ(is_shared(uses, granule), expected);
	}
}

} // namespace het::rt
