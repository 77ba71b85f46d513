// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The deque has the commands that a worker has to do. Its owner takes from the head, and a thief from the tail. Tasks
// carry their own links, so nothing can fail.
//
// It has a lock and is not the lock-free deque of Chase and Lev: thieves choose (not every task may run on every
// device), and a waiter takes out the very task that it waits for. The lock is held for a few instructions.
#pragma once

#include "os/lock.h"

#include <atomic>
#include <cstdint>

namespace het::rt
{

class work_deque;

struct task {
	task *toward_head = nullptr, *toward_tail = nullptr;
	std::atomic<work_deque *> lies_in{nullptr}; // changes under that deque's lock
	// It comes before those that are due later. It is set before it is pushed; 0 means that it has no such time,
	// and nothing comes before it that came later.
	uint64_t due = 0;
	bool was_put_back = false; // by push_last(); belongs to the deque
};

class work_deque
{
      public:
	void push(task &t)
	{
		hold h(lock_);
		t.was_put_back = false;
		task *before = tail_;
		// What was put back lies out of order, and says nothing of those before it.
		for (task *other = tail_; t.due && other; other = other->toward_head) {
			if (other->was_put_back)
				continue;
			if (other->due <= t.due)
				break;
			before = other->toward_head;
		}
		link(t, before);
	}
	// Puts a task that was taken back behind all others, whatever is due.
	void push_last(task &t)
	{
		hold h(lock_);
		t.was_put_back = true;
		link(t, tail_);
	}

	// Returns the oldest task, or null if there is none.
	task *take()
	{
		if (empty())
			return nullptr;
		hold h(lock_);
		return head_ ? unlink(*head_) : nullptr;
	}

	// Returns the oldest task that the caller wants.
	template <class F> task *take_first(F wanted)
	{
		if (empty())
			return nullptr;
		hold h(lock_);
		task *t = head_;
		while (t && !wanted(*t))
			t = t->toward_tail;
		return t ? unlink(*t) : nullptr;
	}

	// Returns the newest task that the caller may have.
	template <class F> task *steal(F may_have)
	{
		if (empty())
			return nullptr;
		hold h(lock_);
		for (task *t = tail_; t; t = t->toward_head) {
			if (may_have(*t))
				return unlink(*t);
		}
		return nullptr;
	}

	// Takes this task, if nobody has taken it.
	bool take(task &t)
	{
		if (!has(t))
			return false;
		hold h(lock_);
		return t.lies_in.load(std::memory_order_relaxed) == this && unlink(t);
	}

	// Returns whether the task lies here. This looks without the lock, as the next two do.
	bool has(const task &t) const { return t.lies_in.load(std::memory_order_relaxed) == this; }
	// Looks without the lock: true once the last push was taken.
	bool empty() const { return !count_.load(); }
	uint32_t size() const { return count_.load(std::memory_order_relaxed); }

      private:
	using hold = runtime_guard<>;

	// Puts it behind @before, or first.
	void link(task &t, task *before)
	{
		t.lies_in.store(this, std::memory_order_relaxed);
		t.toward_head = before;
		t.toward_tail = before ? before->toward_tail : head_;
		(t.toward_tail ? t.toward_tail->toward_head : tail_) = &t;
		(before ? before->toward_tail : head_) = &t;
		count_.store(count_.load(std::memory_order_relaxed) + 1);
	}

	task *unlink(task &t)
	{
		(t.toward_head ? t.toward_head->toward_tail : head_) = t.toward_tail;
		(t.toward_tail ? t.toward_tail->toward_head : tail_) = t.toward_head;
		t.lies_in.store(nullptr, std::memory_order_relaxed);
		count_.store(count_.load(std::memory_order_relaxed) - 1);
		return &t;
	}

	futex_lock lock_;
	task *head_ = nullptr, *tail_ = nullptr;
	std::atomic<uint32_t> count_{0};
};

} // namespace het::rt
