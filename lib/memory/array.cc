// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/array.h"

#include "memory/context.h"
#include "os/pool.h"

#include <climits>

namespace het
{

namespace
{

// Arrays without a body have this counter.
constinit const write_counter no_writes{0};

} // namespace

void array_guard::wait_for_change()
{
	uint32_t seen = array_.changed.load(std::memory_order_relaxed);
	array_.waiters.fetch_add(1, std::memory_order_relaxed);
	unlock();
	futex_wait(&array_.changed, seen);
	lock();
	array_.waiters.fetch_sub(1, std::memory_order_relaxed);
}

visit::visit(array &a, array_guard &g) : array_(a)
{
	while (a.live && a.held)
		g.wait_for_change();
	entered_ = a.live;
	a.visitors += entered_;
}

visit::~visit()
{
	if (entered_ && !--array_.visitors)
		announce_change(array_);
}

void narrow_fast(array &a, copyset valid)
{
	// The bit that says "only owner" goes when the host gets a copy, or another device does.
	copyset fast = a.fast.load();
	copyset still = fast & valid & ~host_copy;
	if (still == valid)
		still |= fast & host_copy;
	if (still != fast)
		a.fast.store(still);
}

void announce_change(array &a)
{
	a.changed.fetch_add(1, std::memory_order_relaxed);
	if (a.waiters.load(std::memory_order_relaxed))
		futex_wake(&a.changed, INT_MAX);
}

array *new_array(memory_context &context)
{
	array *a = context.free_arrays;
	if (a) {
		context.free_arrays = reinterpret_cast<array *>(a->offset);
	} else {
		a = static_cast<array *>(pool().allocate(sizeof(array) + context.ndevs * sizeof(link)));
		if (!a)
			return nullptr;
		a->context = &context;
	}
	// A late reader may hold the lock of the former array for a moment.
	caller_guard g(*a);
	count_host_writes(*a, no_writes);
	a->life++;
	a->plain.store(false);
	a->place = {};
	a->offset = 0;
	a->linked = 0;
	a->locked_pages = a->held = a->managed = a->wanted = false;
	a->edges = {};
	a->chunks = nullptr;
	a->parts = nullptr;
	a->fragmented = nullptr;
	a->pending = nullptr;
	a->visitors = 0;
	a->changes.store(nullptr);
	a->pinned.store(0);
	a->pin_tried = a->being_pinned = 0;
	a->pinner = 0;
	a->ahead = {};
	a->coming = a->queued_ends = 0;
	a->foreseen = a->rewrites = nullptr;
	a->touched = 0;
	a->sent = {};
	a->sending = nullptr;
	a->needing_begins = 0;
	a->unseen_ends.store(0);
	a->unseen_begins.store(0);
	a->ends_to_pass.store(UINT32_MAX);
	for (unsigned d = 0; d < context.ndevs; d++) {
		a->links[d].devbuf.store(nullptr, std::memory_order_relaxed);
		a->links[d].open.store(0, std::memory_order_relaxed);
		a->links[d].ends_for_others = false;
		a->links[d].arrived = 0;
	}
	return a;
}

void count_host_writes(array &a, const write_counter &counter)
{
	a.host_writes.store(&counter, std::memory_order_relaxed);
	a.host_writes_seen.store(counter.load(), std::memory_order_release);
}

void make_live(array &a)
{
	caller_guard g(a);
	a.held = true;
	a.live = true;
}

void free_array(array *a)
{
	caller_guard g(*a);
	a->live = false;
	a->fast.store(0);
	a->offset = reinterpret_cast<uintptr_t>(a->context->free_arrays);
	a->context->free_arrays = a;
}

} // namespace het
