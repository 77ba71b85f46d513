// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/fixed_list.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>

using namespace het::rt;

TEST(fixed_list, has_what_was_added)
{
	fixed_list<uint64_t> l;
	EXPECT_TRUE(l.empty());
	ASSERT_TRUE(l.reset(3));
	for (uint64_t i : {7, 5, 9})
		l.push_back(i);
	EXPECT_EQ(l.size(), 3u);
	EXPECT_EQ(l.front(), 7u);
	EXPECT_EQ(l.back(), 9u);
	EXPECT_EQ(std::accumulate(l.begin(), l.end(), uint64_t{0}), 21u);
	ASSERT_TRUE(l.reset(2));
	EXPECT_TRUE(l.empty());
}

TEST(fixed_list, says_that_there_is_no_memory)
{
	fixed_list<uint64_t> l;
	ASSERT_TRUE(l.reset(1));
	l.push_back(4);
	volatile size_t all = SIZE_MAX / 32;
	EXPECT_FALSE(l.reset(all));
	EXPECT_TRUE(l.empty());
	ASSERT_TRUE(l.reset(1));
	l.push_back(5);
	EXPECT_EQ(l.front(), 5u);
}
