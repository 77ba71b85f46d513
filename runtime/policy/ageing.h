// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decides which level of urgency comes next where commands of several levels wait for one device. The most urgent does,
// but a level that has waited rises: so nobody waits for ever.
//
// A level counts as one more for each step of time in which it had work and none of it was taken. Of two that count
// the same the more urgent one comes first. So if all levels always have work, and each piece takes as long as
// @longest, none waits longer than most_wait(longest).
#pragma once

#include <cstdint>

namespace het::rt
{

// Levels go from lowest_level to highest_level; their indices begin with 0.
inline constexpr int lowest_level = -8, highest_level = 7;
inline constexpr unsigned level_count = highest_level - lowest_level + 1;

constexpr unsigned index_of_level(int level)
{
	return unsigned(level - lowest_level);
}

constexpr int level_of_index(unsigned index)
{
	return int(index) + lowest_level;
}

// Returns the nearest level.
constexpr int level_near(int64_t wanted)
{
	return wanted < lowest_level ? lowest_level : wanted > highest_level ? highest_level : int(wanted);
}

class ageing
{
      public:
	explicit ageing(uint64_t step_ns) : step_ns_(step_ns) {}

	// Levels with work are bits of @waiting, by index; there is at least one. Returns the one that comes next,
	// which is taken to be served.
	unsigned choose(uint32_t waiting, uint64_t now);
	// Returns what choose() would, and leaves everything as it was, but for the times of levels that are new.
	unsigned look(uint32_t waiting, uint64_t now);

	constexpr uint64_t most_wait(uint64_t longest) const
	{
		return step_ns_ * (level_count - 1) + longest * level_count;
	}

      private:
	const uint64_t step_ns_;
	uint64_t since_[level_count] = {}; // says since when each level has waited
	uint32_t known_ = 0;               // has those that have
};

} // namespace het::rt
