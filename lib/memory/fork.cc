// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bodies and allocations are not inherited (MADV_DONTFORK): a child that shared their pages would read and write the
// parent's arrays unseen. Instead the parent makes a private copy of each before the fork; the child moves it into
// place. Between copy and fork all touches wait, so the copies are of one moment.
#include "memory/fork.h"

#include "memory/adopt.h"
#include "memory/allocations.h"
#include "memory/chunks.h"
#include "memory/edges.h"
#include "memory/failure.h"
#include "memory/home.h"
#include "memory/library.h"
#include "memory/partial_loss.h"
#include "os/log.h"
#include "os/mapping.h"
#include "os/own_descriptor.h"
#include "os/settings.h"
#include "os/spare_mappings.h"

#include <csignal>
#include <cstring>
#include <pthread.h>
#include <utility>

namespace het
{

namespace
{

// The forking thread holds the structure lock from prepare to parent or child, with all signals blocked.
thread_local bool prepared __attribute__((tls_model("initial-exec")));
// This is the mask of the thread that holds the structure lock.
sigset_t saved_signals;
int saved_cancel_state;

// Kernels may take away again what has come home this often, before the fork waits for each array in turn.
constexpr unsigned most_tries = 100;

layout::span all_of(const array &a)
{
	return {0, a.place.chunks};
}

bool is_at_rest(const array &a)
{
	if (a.visitors || a.pending || a.edges.busy)
		return false;
	for (uint32_t c = 0; c < a.place.chunks; c++) {
		if (!a.chunks[c].state().host_valid() || (a.chunks[c].flags & chunk_busy))
			return false;
	}
	return true;
}

// It is false if a device can't be read.
bool bring_all_home(array &a)
{
	caller_guard g(a);
	while (a.visitors)
		g.wait_for_change();
	return !collect_edges(a, g, every_device) && !bring_home(a, g, all_of(a), event::fetch);
}

// It is false if a kernel or a touch came in between.
bool hold_at_rest(array &a)
{
	if (a.place.body.empty())
		return true;
	caller_guard g(a);
	if (!is_at_rest(a))
		return false;
	if (hold_array(a))
		warn("fork: array %p can't be held; the child may get a mixture", a.place.user.ptr());
	return true;
}

// It serves an array that does not come to rest, or can't be read. Others are held meanwhile.
void hold_at_once(array &a)
{
	if (a.held)
		return;
	caller_guard g(a);
	int edges = collect_edges(a, g, every_device);
	int chunks = bring_home(a, g, all_of(a), event::fetch);
	if (chunks)
		bring_rest_home(a, g);
	if (chunks || edges)
		report(GPUVM_EDEVALLOC, a.place.user.ptr(), "fork: the child gets stale contents of array %p",
		       a.place.user.ptr());
	if (a.place.body.empty())
		return;
	wait_until_idle(a, g, all_of(a));
	hold_array(a);
}

void release_if_held(array &a)
{
	if (a.held)
		release_array(a);
}

// Holds all arrays, with their data at home. No device is called while any is held: whoever touches that may
// have a lock which the device's driver needs.
void hold_all(const library &l)
{
	const auto &arrays = l.arrays;
	bool readable = true;
	for (unsigned tries = 0; readable && tries < most_tries; tries++) {
		arrays.for_each([&](array &a) { readable = bring_all_home(a) && readable; });
		bool all = readable;
		arrays.for_each([&](array &a) { all = all && hold_at_rest(a); });
		if (all)
			return;
		arrays.for_each(release_if_held);
	}
	arrays.for_each(hold_at_once);
}

// The source copies, not the alias: where it can, it does not populate what was never touched.
void *private_copy(const page_source &source, uint64_t offset, size_t n)
{
	void *copy = map_private(n);
	if (copy && source.read(offset, copy, n))
		return copy;
	warn("fork: no memory for a copy of %zu bytes; the child will have none", n);
	if (copy)
		unmap(range_of(copy, n));
	return nullptr;
}

void copy_array(array &a)
{
	if (a.from == origin::adopted && !a.place.body.empty())
		a.fork_copy = private_copy(*a.context->source, a.offset, a.place.body.size());
}

void copy_allocation(const page_source &source, allocation &b)
{
	b.fork_copy = private_copy(source, b.in_source.offset, b.pages.size());
}

void drop_copy(void *&copy, size_t n)
{
	if (copy)
		unmap(range_of(copy, n));
	copy = nullptr;
}

// The child of a process at its limits may have to copy.
void move_copy(void *copy, range to)
{
	if (!copy || move_mapping(range_of(copy, to.size()), to))
		return;
	if (map_private_at(to))
		memcpy(to.ptr(), copy, to.size());
	unmap(range_of(copy, to.size()));
}

void prepare()
{
	library &l = lib();
	if (!l.ready.load() || !settings().fork_copy)
		return;
	sigset_t all, saved;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	l.structure.lock(lock_rank::structure);
	saved_signals = saved;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved_cancel_state);
	prepared = true;
	hold_all(l);
	spend_spare_mappings();
	l.arrays.for_each(copy_array);
	l.allocations.for_each([&l](allocation &b) { copy_allocation(*l.source, b); });
}

void in_parent()
{
	if (!prepared)
		return;
	library &l = lib();
	l.allocations.for_each([](allocation &b) { drop_copy(b.fork_copy, b.pages.size()); });
	l.arrays.for_each([](array &a) {
		drop_copy(a.fork_copy, a.place.body.size());
		release_if_held(a);
	});
	keep_spare_mappings();
	prepared = false;
	sigset_t saved = saved_signals;
	int cancel_state = saved_cancel_state;
	l.structure.unlock(lock_rank::structure);
	pthread_sigmask(SIG_SETMASK, &saved, nullptr);
	pthread_setcancelstate(cancel_state, nullptr);
}

void in_child()
{
	library &l = lib();
	if (!l.ready.load())
		return;
	l.ready.store(false);
	l.forked.store(true);
	if (prepared) {
		l.allocations.for_each([](allocation &b) { move_copy(b.fork_copy, b.pages); });
		l.arrays.for_each([](array &a) {
			if (!a.place.body.empty())
				move_copy(a.fork_copy, a.place.body);
		});
	}
	l.catcher->forked_child();
	close_own_descriptors();
	// The child's own forks find nothing to undo.
	if (!std::exchange(prepared, false))
		return;
	pthread_sigmask(SIG_SETMASK, &saved_signals, nullptr);
	pthread_setcancelstate(saved_cancel_state, nullptr);
}

} // namespace

void open_fork()
{
	pthread_atfork(prepare, in_parent, in_child);
}

} // namespace het
