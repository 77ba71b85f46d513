// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "sched/level_queue.h"

#include <gtest/gtest.h>

namespace het::rt
{

namespace
{

unsigned uppermost(uint32_t waiting)
{
	return unsigned(std::bit_width(waiting)) - 1;
}

TEST(LevelQueue, IsADequeWithOneLevel)
{
	level_queue q;
	task a, b;
	auto not_asked = [](uint32_t) -> unsigned { abort(); };
	EXPECT_TRUE(q.empty());
	EXPECT_EQ(q.take(uppermost), nullptr);
	q.push(a, 8);
	q.push(b, 8);
	EXPECT_EQ(q.size(), 2u);
	EXPECT_EQ(q.take(not_asked), &a);
	EXPECT_EQ(q.take([](uint32_t) { return level_queue::levels; }, true), nullptr);
	EXPECT_EQ(q.take(not_asked), &b);
	EXPECT_EQ(q.take(not_asked), nullptr);
}

TEST(LevelQueue, AsksWhichLevelComesNext)
{
	level_queue q;
	task a, b, c;
	q.push(a, 3);
	q.push(b, 15);
	q.push(c, 3);
	EXPECT_EQ(q.size(), 3u);
	EXPECT_EQ(q.take([](uint32_t waiting) {
		EXPECT_EQ(waiting, 1u << 3 | 1u << 15);
		return 3u;
	}),
		  &a);
	EXPECT_EQ(q.take([](uint32_t) { return level_queue::levels; }), nullptr);
	EXPECT_EQ(q.take(uppermost), &b);
	EXPECT_EQ(q.take(uppermost), &c);
	EXPECT_TRUE(q.empty());
}

TEST(LevelQueue, ATaskIsTakenOnce)
{
	level_queue q, other;
	task a, b;
	q.push(a, 0);
	other.push(b, 0);
	EXPECT_TRUE(q.has(a));
	EXPECT_FALSE(q.has(b));
	EXPECT_FALSE(q.take(b));
	EXPECT_TRUE(q.take(a));
	EXPECT_FALSE(q.take(a));
	EXPECT_FALSE(q.has(a));
	q.push(a, 15);
	EXPECT_EQ(q.take(uppermost), &a);
}

TEST(LevelQueue, TheMostUrgentIsWantedFirst)
{
	level_queue q;
	task a, b, c;
	q.push(a, 1);
	q.push(b, 2);
	q.push(c, 2);
	EXPECT_EQ(q.take_first([&](task &t) { return &t != &b; }), &c);
	EXPECT_EQ(q.steal([&](task &) { return true; }), &b);
	EXPECT_EQ(q.take_first([&](task &) { return true; }), &a);
	EXPECT_EQ(q.steal([&](task &) { return true; }), nullptr);
}

} // namespace

} // namespace het::rt
