// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is foreseen of kernels that were ended by an event (gpuvm_kernel_end_event) comes home when the event has come
// about (memory/prefetch.h).
//
// Events come about in any order, or never, so one thread asks them all and waits for none: each as soon as it is here,
// and again after a sixteenth of the time that it has been here. So an end is seen late by a small part of what its
// kernel has taken, and an event that never comes costs a look now and then. A kernel that has failed is left to
// whoever needs its bytes, as if nothing had been foreseen.
#pragma once

#include "memory/foreseen.h"
#include "os/lock.h"

#include <atomic>
#include <cstdint>

namespace het
{

struct pending_kernel;

class event_watch
{
      public:
	static constexpr uint64_t never = UINT64_MAX;

	// From now on the first add() starts the thread.
	void open() { has_own_thread_ = true; }
	// Takes the list of a kernel that is watched (memory/pending.h). Without memory or a thread it is left to
	// touches. The caller holds no lock.
	void add(foreseen_chunks f, pending_kernel *kernel);
	// Asks those events whose time has come, and brings a piece home behind each that has come about. Returns when
	// it is to be called next, in the time of now_ns(). One thread calls it, and holds no lock.
	uint64_t look(uint64_t now);

      private:
	struct watched {
		watched *next;
		array *in;
		foreseen_chunks chunks;
		pending_kernel *kernel; // null: it has ended
		uint64_t since, when;
	};

	bool has_thread();
	[[noreturn]] void run();
	void take_added(uint64_t now);
	static bool see_to(watched &w, uint64_t now);

	bool has_own_thread_ = false;
	std::atomic<bool> tried_{false}, started_{false};
	futex_lock lock_; // guards the list of those that were added; its rank is leaf
	watched *added_ = nullptr;
	watched *watched_ = nullptr; // those of the thread
	std::atomic<uint32_t> bell_{0};
};

} // namespace het
