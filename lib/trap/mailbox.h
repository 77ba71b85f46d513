// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Where a toucher's signal handler leaves its touch for the resolvers, and waits.
//
// A letter lies on the toucher's own stack, so there are as many as there are touchers and nothing is allocated.
// Invariants:
//   A letter is in the list from hand_over() until the one complete() that covers its address takes it out;
//   only then, and once, it is marked done, and only then hand_over() returns.
//   The list is in order of arrival: letters that next() has returned, then those that it has not.
// A letter completed is no promise that the page is there: the toucher repeats its access, and a page that is not
// (or no longer) right faults again. So whoever gets a touch from next() must see to it that complete() is called for
// its address sooner or later, even where nothing had to be done.
#pragma once

#include "os/lock.h"
#include "trap/trap.h"

#include <atomic>
#include <cstdint>

namespace het
{

class mailbox
{
      public:
	mailbox();
	mailbox(const mailbox &) = delete;
	mailbox &operator=(const mailbox &) = delete;

	// Leaves a touch and waits until it is completed. It is async-signal-safe, and all signals must be blocked.
	void hand_over(touch t);

	// Waits for a touch that was not returned before. Returns false if interrupt() was called. All signals must be
	// blocked.
	bool next(touch &t, wait_policy p);
	// Returns whether a touch waits that next() has not returned.
	bool has_touch() const { return first_new_.load(std::memory_order_relaxed) != nullptr; }
	// Makes one next(), the running one or else the following, return false.
	void interrupt();

	// Lets everyone go on whose touch lies in @r, returned by next() or not. It costs one load if nobody waits.
	void complete(range r);

	// Must be called in a forked child: the touchers are in the parent.
	void forked_child();

      private:
	struct letter;
	static constexpr size_t cache_line = 64;

	void append(letter &l);
	void remove(letter &l);
	letter *take_out(range r);
	bool take(touch &t);
	void announce();
	uint32_t worthwhile_spin() const;
	void learn(uint64_t served_after_ns);

	// The resolvers' side sleeps on the count of events, the letters and interruptions so far. One that spins looks
	// at this cache line all the time, so nothing else that touchers write lies there.
	alignas(cache_line) std::atomic<uint32_t> events_{0};
	std::atomic<uint32_t> sleepers_{0};
	std::atomic<bool> interrupted_{false};

	alignas(cache_line) futex_lock lock_; // guards the list
	std::atomic<letter *> first_{nullptr};
	letter *last_ = nullptr;
	std::atomic<letter *> first_new_{nullptr}; // the first letter that next() has not returned

	// These tell how long a touch has lately taken to be served, and how many touchers spin.
	alignas(cache_line) std::atomic<uint32_t> usual_ns_;
	std::atomic<uint32_t> spinners_{0};
	uint32_t max_spinners_;
};

} // namespace het
