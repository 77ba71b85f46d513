// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// How host touches are caught: the interface that each trap implements in a file of its own.
//
// A trap knows address ranges, not arrays: it reduces what the primary mapping allows, shows pages again, and
// turns the kernel's report of a touch into a call of the sink. It keeps no state a range.
#pragma once

#include "core/range.h"

#include <cstdint>
#include <memory>

namespace het
{

// One host touch on a watched range.
struct touch {
	uintptr_t addr = 0;
	bool write = false;
};

// What the memory core does with touches. Set once, before the first watch().
struct touch_sink {
	// For traps that run in the toucher's own signal handler: serve the touch, or wait until it can be
	// repeated. Async-signal-safe; all signals are blocked. False: not one of ours.
	bool (*touched_here)(touch t);
};

struct trap_features {
	// kernel-mode touches (write(2) from a revoked range, O_DIRECT) are served; otherwise they are EFAULT
	bool kernel_touches = false;
	// a page can be shown read-only from the first instant; otherwise a read makes the host the only owner
	bool shared_reads = false;
	// admit() may start at any page at no cost; otherwise each range of its own splits a mapping
	bool by_page = false;
	// all other threads are stopped while a fetch is under way (sigsegv-stop only)
	bool stops_threads = false;
};

// How a resolver that has nothing to do waits.
struct wait_policy {
	uint64_t spin_ns = 0; // look for touches without sleeping for so long, then sleep
};

class trap
{
      public:
	virtual ~trap() = default;

	virtual const char *name() const = 0;
	virtual trap_features features() const = 0;

	// Adoption of private memory, not yet the library's: from now on writes, and touches of pages that were
	// never touched, wait until wake(). Reads of populated pages go on.
	virtual int hold(range old) = 0;
	// Undo of hold() when the adoption failed; wakes.
	virtual void unhold(range old) = 0;

	// Starts and ends the watch over pages of the primary mapping, which are the library's memory by now.
	// Pages that are mapped stay as they are, the others are caught like revoked ones.
	virtual int watch(range r) = 0;
	virtual int unwatch(range r) = 0;

	// Takes access away: to none (pages vanish from the primary) or to read. Caller holds the array's lock.
	virtual int protect(range r, access to) = 0;
	// Shows pages with access @to and wakes who waits there. The first page is shown for certain, and if it was
	// read-only before, it and the rest become writable if @to says so; the rest is shown as far as no page in it
	// is shown already (a later touch there is caught again and costs little). Caller holds the array's lock.
	virtual int admit(range r, access to) = 0;
	// Lets everyone who waits in the range try again.
	virtual void wake(range r) = 0;

	// Event source of the resolvers. next() waits for a touch; false: woken by interrupt() or for no reason.
	// One resolver at a time calls it.
	virtual bool next(touch &t, wait_policy p) = 0;
	virtual void interrupt() = 0;
	// A touch waits that next() would return at once. A hint: cheap, and may be wrong either way.
	virtual bool has_touch() const = 0;
	// Hands a touch from a toucher's signal handler to the resolvers and waits until it was served or
	// should be tried again (the signal traps only).
	virtual void hand_over(touch t) { (void)t; }

	// Stopping of all other threads around a fetch (features().stops_threads only).
	virtual void stop_threads() {}
	virtual void resume_threads() {}

	// In a forked child: forget everything, no system call may hurt the parent.
	virtual void forked_child() = 0;
};

// Factories, one a file. On failure: null, with the reason in *why (static text).
std::unique_ptr<trap> make_uffd_trap(const touch_sink &sink, const char **why);
std::unique_ptr<trap> make_uffd_sigbus_trap(const touch_sink &sink, const char **why);
std::unique_ptr<trap> make_sigsegv_trap(const touch_sink &sink, const char **why);
std::unique_ptr<trap> make_sigsegv_stop_trap(const touch_sink &sink, const char **why);

} // namespace het
