// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/deadline.h"

#include "policy/ageing.h"

#include <algorithm>

namespace het::rt
{

namespace
{

constexpr int levels_of_step = 2;

// With less slack than this the command takes that step.
constexpr uint64_t slack_of_step(int step)
{
	return far_deadline_ns >> (2 * step);
}

uint64_t latest_begin(const timed_command &c)
{
	return c.deadline > c.takes_ns ? c.deadline - c.takes_ns : 0;
}

int steps_taken(const timed_command &c, uint64_t now)
{
	const uint64_t begin = latest_begin(c), slack = begin > now ? begin - now : 0;
	int steps = 0;
	while (c.own_level + levels_of_step * steps < highest_level && slack < slack_of_step(steps))
		steps++;
	return steps;
}

} // namespace

int level_by_deadline(const timed_command &c, uint64_t now)
{
	return std::min(highest_level, c.own_level + levels_of_step * steps_taken(c, now));
}

uint64_t next_rise(const timed_command &c, uint64_t now)
{
	const int steps = steps_taken(c, now);
	if (c.own_level + levels_of_step * steps >= highest_level)
		return no_time;
	return latest_begin(c) - slack_of_step(steps) + 1;
}

} // namespace het::rt
