// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_poll_policy.h"

#include <gtest/gtest.h>

using het::poll_policy;

namespace
{

unsigned waits_until_poll(poll_policy &p)
{
	unsigned n = 0;
	while (!p.next_wait_polls())
		n++;
	return n;
}

} // namespace

TEST(opencl_poll_policy, polls_while_that_pays)
{
	poll_policy p;
	for (int i = 0; i < 10; i++) {
		EXPECT_TRUE(p.next_wait_polls());
		p.polled(false);
	}
}

TEST(opencl_poll_policy, rests_longer_and_longer)
{
	poll_policy p;
	EXPECT_TRUE(p.next_wait_polls());
	for (unsigned rest : {1u, 3u, 7u, 15u, 31u, 63u, 63u}) {
		p.polled(true);
		EXPECT_EQ(waits_until_poll(p), rest);
	}
	p.polled(false);
	EXPECT_EQ(waits_until_poll(p), 0u);
	p.polled(true);
	EXPECT_EQ(waits_until_poll(p), 1u);
}
