// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A thread that sees to events, one after the other, in the order in which they come, or the most urgent first. It
// starts when it is first asked for.
#pragma once

#include "core/event.h"

namespace het::rt
{

// Tells which event is next. Both are called under the thread's lock.
struct event_order {
	// The event with the largest is next; of several the one that came first.
	int (*urgency)(const het_event &);
	// Another one that came later is next.
	void (*is_passed)(het_event &);
};

class event_thread
{
      public:
	// The thread calls @see_to with no lock held. Events are linked by @next, which they are in no other list by.
	// @order is null if they are seen to as they come.
	constexpr event_thread(const char *name, void (*see_to)(het_event &),
			       het_event *het_event::*next = &het_event::next_in_flight,
			       const event_order *order = nullptr)
	    : name_(name), see_to_(see_to), next_(next), order_(order)
	{
	}

	// It is false if no thread can be had. Who comes while it is being started does without it, and so does who
	// comes when it could not be; but who can't do without it waits, and tries again.
	bool start(bool needed = false);
	// The event is the thread's from now on. It has been started.
	void add(het_event &e);

      private:
	het_event *take();
	het_event **choose();
	void work();

	const char *const name_;
	void (*const see_to_)(het_event &);
	het_event *het_event::*const next_;
	const event_order *const order_;

	enum state : uint32_t { untried, starting, started, refused };
	std::atomic<uint32_t> state_{untried};
	futex_lock lock_; // guards the list; its rank is leaf
	het_event *first_ = nullptr, *last_ = nullptr;
	std::atomic<uint32_t> bell_{0};
};

} // namespace het::rt
