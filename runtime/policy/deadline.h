// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The policy `deadline` says how urgent a command is that is to have ended by some time. Its slack is the time until
// then, less what it takes itself. With less than `far` of that it is two levels above its own, and it rises by two
// more each time that it has but a quarter left. Levels may have streams of their own, so it does not go by all of
// them.
//
// Of those that have come to one level the one that is due first is next. What has no deadline is due there `far` after
// it came: so nobody is overtaken for ever by what is always due sooner. What has come too late stays the most urgent.
//
// The policy `priority` leaves every command at its own level.
#pragma once

#include <cstdint>

namespace het::rt
{

inline constexpr uint64_t far_deadline_ns = 256'000'000;
inline constexpr uint64_t no_time = UINT64_MAX;

// These times are on one clock.
struct timed_command {
	int own_level;
	uint64_t deadline;
	uint64_t takes_ns; // as far as that is known, or 0
};

int level_by_deadline(const timed_command &c, uint64_t now);
// Returns when it rises next, or no_time.
uint64_t next_rise(const timed_command &c, uint64_t now);

// Returns when a command is due among others of its level. A @deadline of 0 is none.
constexpr uint64_t due_time(uint64_t deadline, uint64_t came)
{
	return deadline ? deadline : came + far_deadline_ns;
}

} // namespace het::rt
