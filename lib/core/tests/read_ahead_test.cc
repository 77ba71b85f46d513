// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/read_ahead.h"

#include <gtest/gtest.h>
#include <random>

using het::read_ahead;

namespace
{

constexpr uint32_t no_limit = 1u << 20;

TEST(read_ahead, doubles_for_a_reader_in_order)
{
	read_ahead a;
	uint32_t at = 7;
	for (uint32_t n = 1; n <= 1024; n *= 2) {
		EXPECT_EQ(a.window(at, no_limit), n);
		at += n;
	}
}

TEST(read_ahead, tells_beforehand_what_is_no_stream)
{
	read_ahead a;
	std::mt19937 random(5);
	for (int i = 0; i < 10000; i++) {
		uint32_t c = random() % 12;
		bool expected = a.expects(c);
		uint32_t n = a.window(c, no_limit, random() % 2);
		EXPECT_TRUE(expected || n == 1) << c;
		if (random() % 4 == 0)
			a.stopped_at(c + 1);
	}
	EXPECT_FALSE(read_ahead().expects(0));
}

TEST(read_ahead, stops_growing_at_the_limit)
{
	for (uint32_t limit : {1u, 2u, 3u, 32u, 100u}) {
		read_ahead a;
		uint32_t at = 0, n = 0;
		for (int i = 0; i < 20; i++) {
			n = a.window(at, limit);
			EXPECT_GE(n, 1u);
			EXPECT_LE(n, limit);
			at += n;
		}
		EXPECT_EQ(n, limit);
	}
}

TEST(read_ahead, a_limit_of_nothing_is_one)
{
	read_ahead a;
	for (uint32_t c = 0; c < 10; c++)
		EXPECT_EQ(a.window(c, 0), 1u);
}

TEST(read_ahead, starts_again_elsewhere)
{
	read_ahead a;
	EXPECT_EQ(a.window(0, no_limit), 1u);
	EXPECT_EQ(a.window(1, no_limit), 2u);
	EXPECT_EQ(a.window(3, no_limit), 4u);
	EXPECT_EQ(a.window(100, no_limit), 1u) << "forward";
	EXPECT_EQ(a.window(101, no_limit), 2u) << "in order again";
	EXPECT_EQ(a.window(102, no_limit), 1u) << "inside the last window";
	EXPECT_EQ(a.window(50, no_limit), 1u) << "backward";
	EXPECT_EQ(a.window(50, no_limit), 1u) << "the same chunk";
}

TEST(read_ahead, the_first_miss_is_never_in_order)
{
	for (uint32_t c : {0u, 1u, 1000u}) {
		read_ahead a;
		EXPECT_EQ(a.window(c, no_limit), 1u);
	}
}

TEST(read_ahead, goes_on_where_a_window_was_cut)
{
	read_ahead a;
	a.window(0, no_limit);
	a.window(1, no_limit);
	EXPECT_EQ(a.window(3, no_limit), 4u);
	a.stopped_at(5); // only two of the four came
	EXPECT_EQ(a.window(5, no_limit), 8u);
	a.stopped_at(6);
	EXPECT_EQ(a.window(13, no_limit), 1u) << "where the whole window would have ended";
}

// Counts the chunks that a sweep of [@first, @end) misses.
unsigned misses(read_ahead &a, uint32_t first, uint32_t end)
{
	unsigned n = 0;
	for (uint32_t at = first; at < end; n++) {
		at += a.window(at, 128);
		if (at > end)
			a.stopped_at(at = end);
	}
	return n;
}

TEST(read_ahead, remembers_a_sweep_that_starts_again)
{
	read_ahead a;
	EXPECT_EQ(misses(a, 0, 256), 9u);
	EXPECT_LE(misses(a, 0, 256), 3u) << "as far as the first is known to have got, and on from there";
	EXPECT_EQ(misses(a, 1, 257), 9u) << "another start";
}

TEST(read_ahead, forgets_a_sweep_that_was_not_repeated)
{
	read_ahead a;
	misses(a, 0, 256);
	EXPECT_GT(a.window(0, 128), 1u) << "expected once more";
	EXPECT_EQ(a.window(0, 128), 1u) << "and not again: nothing behind the first chunk was missed";
}

TEST(read_ahead, stays_within_bounds_whatever_happens)
{
	std::mt19937 random(1);
	read_ahead a;
	uint32_t at = 0;
	for (int i = 0; i < 100000; i++) {
		uint32_t limit = random() % 40;
		uint32_t n = a.window(at, limit);
		ASSERT_GE(n, 1u);
		ASSERT_LE(n, std::max(limit, 1u));
		at = random() % 8 ? at + n : uint32_t(random());
		if (random() % 16 == 0)
			a.stopped_at(at);
	}
}

} // namespace
