// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Catches host touches: each trap implements this interface in a file of its own.
//
// A trap knows pages, not arrays: it reduces what the primary mapping allows, shows pages again, and turns the kernel's
// report of a touch into a call of the sink. It keeps no state a range.
#pragma once

#include "core/range.h"
#include "os/page_source.h"

#include <cstdint>
#include <memory>
#include <span>

namespace het
{

// Names pages of an array: where they are in the program, and where in the page source.
struct pages {
	range at;
	uint64_t offset = 0;
};

// Describes one host touch on a watched range.
struct touch {
	uintptr_t addr = 0;
	bool write = false;
	// The page's offset in the page source, from a trap that has a source of its own; otherwise 0.
	uint64_t offset = 0;
	// When a signal handler caught it and handed it over, where that is wanted (memory/touch_times.h); otherwise 0.
	uint64_t caught = 0, handed = 0;
};

// The memory core does this with touches. It is set once, before the first watch().
struct touch_sink {
	// Traps that run in the toucher's own signal handler call it to serve the touch, or to wait until it can be
	// repeated. It is async-signal-safe; all signals are blocked. Returns false if the touch is not one of ours.
	bool (*touched_here)(touch t);
};

struct trap_features {
	// Kernel-mode touches (write(2) from a revoked range, O_DIRECT) are served; otherwise they are EFAULT.
	bool kernel_touches = false;
	// A page can be shown read-only from the first instant; otherwise a read makes the host the only owner.
	bool shared_reads = false;
	// admit() shows page after page, so it had better start with the touched one; otherwise it shows whole ranges,
	// and -ENOMEM means that no mapping can be split any more.
	bool by_page = false;
	// All other threads are stopped while a fetch is under way (sigsegv-stop only).
	bool stops_threads = false;
	// A write to a page that was shown read-only goes on in the kernel, and no touch tells of it; see
	// trap::was_written().
	bool unseen_writes = false;
	// The trap knows what the host does with pages that it may use; see trap::take_accesses().
	bool tells_accesses = false;
};

// Says how a resolver that has nothing to do waits.
struct wait_policy {
	uint64_t spin_ns = 0; // look for touches without sleeping for so long, then sleep
	bool sleeps = true;   // false: don't, but say that there is none; interruptions are for others
};

class trap
{
      public:
	virtual ~trap() = default;

	virtual const char *name() const = 0;
	virtual trap_features features() const = 0;
	// Returns where the pages must come from, or null if they may come from anywhere.
	virtual page_source *source() { return nullptr; }

	// Begins the adoption of private memory, which is not yet the library's: from now on writes, and touches of
	// pages that were never touched, wait until wake(). Reads of populated pages go on.
	virtual int hold(range old) = 0;
	// Undoes hold() when the adoption failed, and wakes.
	virtual void unhold(range old) = 0;

	// What follows returns 0 or -errno, save as said.

	// Starts and ends the watch over pages of the primary mapping, which are the library's memory by now.
	// Pages that are mapped stay as they are, the others are caught like revoked ones.
	virtual int watch(const pages &p) = 0;
	virtual int unwatch(const pages &p) = 0;

	// Takes access away: to none (pages vanish from the primary) or to read. The caller holds the array's lock.
	// Returns 1 if the host has written, unseen, to some page that had been shown read-only (see was_written()) and
	// now is not.
	virtual int protect(const pages &p, access to) = 0;
	// Shows pages with access @to and wakes who waits there. The first page is shown for certain, and if it was
	// read-only before, it and the rest become writable if @to says so; the rest is shown as far as no page in it
	// is shown already (a later touch there is caught again and costs little). The caller holds the array's lock,
	// or (by_page) keeps the chunks busy. Returns 1 as protect() does.
	virtual int admit(const pages &p, access to) = 0;
	// Makes pages writable that were shown read-only, all of them, so that no write to one costs anything more. It
	// is meant for many pages, and they may be gone for a moment. The rest is as with admit().
	virtual int open_for_writes(const pages &p) { return admit(p, access::write); }
	// Lets everyone who waits there try again.
	virtual void wake(const pages &p) = 0;

	// Makes every touch of the pages raise SIGBUS, and wakes. heal() catches them again, like revoked ones.
	virtual int spoil(const pages &p, const page_source &source);
	virtual int heal(const pages &p, const page_source &source);

	// Returns whether the host has written to one of the pages since it was shown read-only, and the kernel has let
	// it go on: the page source's counter has told so.
	virtual bool was_written(const pages &) const { return false; }
	// Tells what the host has done with each chunk, if it could use it, since the last time that it was asked
	// about, and begins anew (features().tells_accesses only). A chunk that is asked about for the first time
	// counts as written if it was used. Of what the host did and had to be caught for, all or nothing is told.
	virtual void take_accesses(std::span<const pages>, access *) {}

	// The resolvers get their events here. next() waits for a touch, and returns false if it was woken by
	// interrupt() or for no reason. One resolver at a time waits here, beside others that do not.
	virtual bool next(touch &t, wait_policy p) = 0;
	virtual void interrupt() = 0;
	// Returns whether a touch waits that next() would return at once. This is a hint: it is cheap, and may be wrong
	// either way.
	virtual bool has_touch() const = 0;
	// Hands a touch from a toucher's signal handler to the resolvers and waits until it was served or
	// should be tried again (the signal traps only).
	virtual void hand_over(touch) {}

	// These stop all other threads around a fetch (features().stops_threads only).
	virtual void stop_threads() {}
	virtual void resume_threads() {}
	// Ends a stop early that has lasted longer than @ns, and returns whether it has. A thread that is not stopped
	// may call it.
	virtual bool resume_threads_after(uint64_t) { return false; }

	// Forgets everything in a forked child; no system call may hurt the parent.
	virtual void forked_child() = 0;
};

// Each file has one of these factories. On failure they return null, with the reason in *why (static text).
std::unique_ptr<trap> make_kmod_trap(const touch_sink &sink, const char **why);
std::unique_ptr<trap> make_uffd_trap(const touch_sink &sink, const char **why);
std::unique_ptr<trap> make_uffd_sigbus_trap(const touch_sink &sink, const char **why);
std::unique_ptr<trap> make_sigsegv_trap(const touch_sink &sink, const char **why);
std::unique_ptr<trap> make_sigsegv_stop_trap(const touch_sink &sink, const char **why);

} // namespace het
