// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The line of commands that wait for memory of one device.
//
// Why the oldest of them begins, whatever else happens:
//   - A command that finds no room when it is ready to begin enters the line, at its end, and holds nothing while it
//     stands there: no memory that could not be taken from it, no open array, no lock.
//   - While the line is not empty nobody begins on the device but its head, and parts of divided launches that are at
//     work there already, whose memory nobody can take from them. They need nothing more: a command gets all its memory
//     at once, before it opens its first array, and copies that go on need none.
//   - So what is in flight on the device becomes less and less, and when nothing is, all arrays there but the head's
//     own can leave without anybody's leave. What the head needs is not more than the budget, or it ends with an error,
//     which also takes it out of the line; what can't leave (raw memory, textures) counts against that beforehand.
//   - What is in flight ends by itself. It may be a part of a divided launch, whose arrays stay until all its parts
//     have ended, and another part of that may wait for memory of another device: no part waits in a line while its
//     launch is at work elsewhere. It leaves its work to the others instead.
//   - A command that depends on others that have not finished is in no line: the head waits for nobody but for what
//     is in flight. A command that is begun behind others in flight (streams, in sched/graph.h) is one of those: it
//     does not enter, and comes back when they have ended.
//   - A launch in slices gets all its windows at once, by its place in the line and before it opens an array. What it
//     opens then is nobody's who waits for memory, and it ends with what it has. Its windows can't be taken from it, so
//     others wait until they go; it does not stand in the line again to have them allocated.
//   - Whoever is taken back, cancelled or stolen by another device leaves the line.
#pragma once

#include "os/lock.h"

#include <atomic>
#include <cstdint>

namespace het::rt
{

class waiting_line;

// One who may wait. It stands in one line at most; @in is that line.
struct waiter {
	waiter *next = nullptr;
	std::atomic<waiting_line *> in{nullptr};
};

class waiting_line
{
      public:
	bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }
	// The line is empty, or the waiter is its head.
	bool may_begin(const waiter &w);
	// The waiter stands in the line, at its end if it did not yet. It is true if it has entered.
	bool enter(waiter &w);

      private:
	friend void leave_line(waiter &w);

	futex_lock lock_; // has rank leaf
	waiter *first_ = nullptr, *last_ = nullptr;
	std::atomic<uint32_t> count_{0};
};

// The waiter stands in no line any longer. One thread at a time has a waiter.
void leave_line(waiter &w);

} // namespace het::rt
