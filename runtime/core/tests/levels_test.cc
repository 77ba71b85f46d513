// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/levels.h"

#include <gtest/gtest.h>

using namespace het::rt;

namespace
{

unsigned begun;

void begin()
{
	begun++;
}

} // namespace

// Whoever brings it: a launch, a queue, or a deadline long after its launch.
TEST(levels, the_second_one_begins_what_is_for_several_once)
{
	levels l;
	begun = 0;
	l.when_several(begin);
	l.note(0);
	l.note(0);
	EXPECT_FALSE(l.are_several());
	EXPECT_EQ(begun, 0u);
	l.note(2);
	EXPECT_TRUE(l.are_several());
	EXPECT_EQ(begun, 1u);
	l.note(3);
	l.note(0);
	EXPECT_EQ(begun, 1u);
	EXPECT_EQ(l.highest(), 3);
}

TEST(levels, what_is_told_of_it_later_begins_at_once)
{
	levels l;
	begun = 0;
	l.note(1);
	l.note(-1);
	EXPECT_EQ(l.highest(), 1);
	l.when_several(begin);
	EXPECT_EQ(begun, 1u);
}
