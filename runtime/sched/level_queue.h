// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tasks of several levels of urgency lie in a deque for each level. With tasks of one level alone it is that deque.
#pragma once

#include "sched/work_deque.h"

#include <bit>
#include <concepts>

namespace het::rt
{

class level_queue
{
      public:
	static constexpr unsigned levels = 16;

	void push(task &t, unsigned level) { at(level).push(t); }
	void push_last(task &t, unsigned level) { at(level).push_last(t); }

	// Returns the oldest task of the level that choose(mask) names, of those that have tasks, which are bits of the
	// mask; or null if there are none, or it names none of them. Without @asks it is not asked if no more than one
	// level was ever used.
	template <std::invocable<uint32_t> F> task *take(F choose, bool asks = false)
	{
		uint32_t used = used_.load();
		if (!asks && std::has_single_bit(used))
			return deques_[std::countr_zero(used)].take();
		while (uint32_t waiting = this->waiting()) {
			unsigned level = choose(waiting);
			if (level >= levels)
				return nullptr;
			if (task *t = deques_[level].take())
				return t;
		}
		return nullptr;
	}

	// Returns the oldest task that the caller wants, the most urgent levels first.
	template <class F> task *take_first(F wanted)
	{
		task *found = nullptr;
		each_downward([&](work_deque &d) { return (found = d.take_first(wanted)) != nullptr; });
		return found;
	}

	// Returns the newest task that the caller may have, the most urgent levels first.
	template <class F> task *steal(F may_have)
	{
		task *found = nullptr;
		each_downward([&](work_deque &d) { return (found = d.steal(may_have)) != nullptr; });
		return found;
	}

	// Returns the oldest task of the most urgent level above this one that has any.
	task *take_above(unsigned level)
	{
		return take(
			[level](uint32_t waiting) {
				unsigned top = unsigned(std::bit_width(waiting)) - 1;
				return top > level ? top : levels;
			},
			true);
	}
	bool has_above(unsigned level) const { return waiting() >> level > 1; }

	// Takes this task, if it lies here and nobody has taken it.
	bool take(task &t)
	{
		work_deque *d = of(t);
		return d && d->take(t);
	}
	// These look without a lock, as those of the deques do.
	bool has(const task &t) const { return of(t); }
	bool empty() const { return !waiting(); }
	uint32_t size() const
	{
		uint32_t n = 0;
		for (uint32_t used = used_.load(std::memory_order_relaxed); used; used &= used - 1)
			n += deques_[std::countr_zero(used)].size();
		return n;
	}

      private:
	work_deque &at(unsigned level)
	{
		uint32_t bit = uint32_t{1} << level;
		if (!(used_.load() & bit))
			used_.fetch_or(bit);
		return deques_[level];
	}

	uint32_t waiting() const
	{
		uint32_t all = 0;
		for (uint32_t used = used_.load(); used; used &= used - 1) {
			unsigned level = unsigned(std::countr_zero(used));
			all |= uint32_t{!deques_[level].empty()} << level;
		}
		return all;
	}

	template <class F> void each_downward(F until)
	{
		for (uint32_t used = used_.load(); used;) {
			unsigned level = unsigned(std::bit_width(used)) - 1;
			if (until(deques_[level]))
				return;
			used &= ~(uint32_t{1} << level);
		}
	}

	work_deque *of(const task &t) const
	{
		work_deque *d = t.lies_in.load(std::memory_order_relaxed);
		return d >= deques_ && d < deques_ + levels ? d : nullptr;
	}

	work_deque deques_[levels];
	std::atomic<uint32_t> used_{0}; // has the levels that ever had a task
};

} // namespace het::rt
