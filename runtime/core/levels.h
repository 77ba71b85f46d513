// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Knows which levels of urgency the process uses. As long as it is one, nothing is done for levels.
#pragma once

#include "policy/ageing.h"

#include <atomic>

namespace het::rt
{

// This is what HET_PREEMPT allows.
enum class preempting : uint8_t {
	off,   // levels order what is ready, and nothing else
	drain, // less urgent commands are held back, and blocks of a kernel that have not begun leave
	save,  // blocks that have begun are saved, too
};

class levels
{
      public:
	// A command of this level is there.
	void note(int8_t level)
	{
		if (level != first_.load(std::memory_order_relaxed))
			note_another(level);
	}
	bool are_several() const { return several_.load(std::memory_order_relaxed); }
	// Has @begin called once there is a second level: at once, or by the thread that brings it, which holds no
	// lock. There is one such call for the process, and it may come twice.
	void when_several(void (*begin)())
	{
		begin_.store(begin);
		if (several_.load())
			begin();
	}
	// A command with a deadline has been there.
	void note_deadline() { deadlines_.store(true, std::memory_order_relaxed); }
	bool have_deadlines() const { return deadlines_.load(std::memory_order_relaxed); }
	// Returns the most urgent that has been there.
	int8_t highest() const { return highest_.load(std::memory_order_relaxed); }
	// Returns whether more urgent commands than of this level have been there.
	bool is_below_others(int level) const
	{
		return are_several() && level < highest_.load(std::memory_order_relaxed);
	}

      private:
	static constexpr int8_t none = 127;

	void note_another(int8_t level);
	void rise_to(int8_t level);

	std::atomic<int8_t> first_{none}, highest_{lowest_level};
	std::atomic<bool> several_{false}, deadlines_{false};
	std::atomic<void (*)()> begin_{nullptr};
};

levels &levels_in_use();

preempting preempting_allowed();

// Returns the level of what says nothing, as HET_PRIORITY has it.
int8_t usual_level();

} // namespace het::rt
