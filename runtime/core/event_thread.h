// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A thread that sees to events, one after the other, in the order in which they come. It starts when it is first asked
// for.
#pragma once

#include "core/event.h"

namespace het::rt
{

class event_thread
{
      public:
	// The thread calls @see_to with no lock held.
	constexpr event_thread(const char *name, void (*see_to)(het_event &)) : name_(name), see_to_(see_to) {}

	// It is false if no thread can be had.
	bool start();
	// The event is the thread's from now on. It has been started.
	void add(het_event &e);

      private:
	het_event *take();
	void work();

	const char *const name_;
	void (*const see_to_)(het_event &);

	futex_lock lock_; // guards the list and the start; its rank is leaf
	bool tried_ = false;
	std::atomic<bool> started_{false};
	het_event *first_ = nullptr, *last_ = nullptr; // are linked by next_in_flight
	std::atomic<uint32_t> bell_{0};
};

} // namespace het::rt
