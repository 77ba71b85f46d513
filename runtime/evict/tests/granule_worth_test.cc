// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/granule_worth.h"

#include <gtest/gtest.h>

namespace het::rt
{

namespace
{

constexpr uint64_t bytes = 2 << 20;
constexpr double byte_ns = 1 / 51.0; // so a copy takes 41 microseconds

// Random words, 9 ns each: a granule pays from one access for 512 bytes on, if it is used once more.
TEST(granule_worth, of_random_accesses_is_that_of_many)
{
	const launches_seen one = {1, 9, byte_ns};
	EXPECT_EQ(worth_of({bytes, 2000, false, true}, one), 0u);
	EXPECT_GT(worth_of({bytes, 2500, false, true}, one), 0u);
	EXPECT_GT(worth_of({bytes, 5000, false, true}, one), worth_of({bytes, 2500, false, true}, one));
	EXPECT_EQ(worth_of({bytes, 0, false, false}, one), 0u);
}

// Each word of a stream is used once a launch: half a million accesses, which take as long as a copy does.
TEST(granule_worth, of_a_stream_shows_when_it_comes_again)
{
	const uint64_t words = bytes / 4;
	const double ns = access_ns_of(41000, words);
	EXPECT_NEAR(ns * double(words), 41000, 1);
	EXPECT_EQ(worth_of({bytes, words, false, true}, {0, ns, byte_ns}), 0u);
	EXPECT_GT(worth_of({bytes, words, false, true}, {1, ns, byte_ns}), 0u);
}

TEST(granule_worth, of_what_is_there_has_no_copy_to_pay)
{
	const launches_seen one = {1, 9, byte_ns};
	EXPECT_GT(worth_of({bytes, 10, false, false}, one), 0u);
	EXPECT_EQ(worth_of({bytes, 10, false, true}, one), 0u);
}

TEST(granule_worth, of_what_is_written_has_a_copy_home_each_time)
{
	const launches_seen many = {1000, 9, byte_ns};
	EXPECT_EQ(worth_of({bytes, 4000, true, false}, many), 0u);
	EXPECT_GT(worth_of({bytes, 4000, false, false}, many), 0u);
	EXPECT_GT(worth_of({bytes, 5000, true, false}, many), 0u);
}

// The longer a launch was seen to come again, the less accesses are enough.
TEST(granule_worth, rises_from_launch_to_launch)
{
	uint64_t before = 0;
	for (unsigned n = 0; n < 50; n++) {
		const uint64_t now = worth_of({bytes, 1000, false, true}, {n, 9, byte_ns});
		EXPECT_GE(now, before);
		before = now;
	}
	EXPECT_GT(before, 0u);
}

// The mean access of a launch says nothing of those that come in order.
TEST(granule_worth, of_what_is_used_once_is_a_copy_at_most)
{
	const launches_seen one = {1, 9, byte_ns};
	const uint64_t words = bytes / 4;
	EXPECT_GT(worth_of({bytes, words, true, false, false}, one), 0u);
	EXPECT_EQ(worth_of({bytes, words, true, false, true}, one), 0u);
	EXPECT_LT(worth_of({bytes, words, false, true, true}, one), worth_of({bytes, 10000, false, true, false}, one));
}

TEST(granule_worth, no_access_takes_longer_than_a_random_one)
{
	EXPECT_EQ(access_ns_of(1000000, 1), access_ns_of(1, 0));
	EXPECT_LT(access_ns_of(1000, 1000), access_ns_of(1, 0));
}

} // namespace

} // namespace het::rt
