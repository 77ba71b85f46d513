// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/pending.h"

#include "memory/context.h"
#include "os/inject.h"
#include "os/log.h"
#include "os/pool.h"

#include <gpuvm.h>
#include <utility>

namespace het
{

pending_kernel *make_pending(memory_context &context, unsigned device, void *event, int *err)
{
	void *kept = nullptr;
	*err = context.devices[device]->retain_event(event, &kept);
	if (*err)
		return nullptr;
	auto *p = pool_array<pending_kernel>(1);
	if (!p) {
		context.devices[device]->release_event(kept);
		*err = fail(GPUVM_ESALLOC, "gpuvm_kernel_end_event: out of memory");
		return nullptr;
	}
	*p = {};
	p->event = kept;
	p->device = uint8_t(device);
	return p;
}

void drop_pending(memory_context &context, pending_kernel *p)
{
	context.devices[p->device]->release_event(p->event);
	pool().release(p, sizeof(*p));
}

namespace
{

// The array has no use for it, or the caller has no more. Its event is given back when nobody waits, and it goes when
// nobody watches it either. The lock is dropped meanwhile.
void let_go(array &a, array_guard &g, pending_kernel *p)
{
	if (a.pending == p || p->waiters)
		return;
	device &d = *a.context->devices[p->device];
	void *event = std::exchange(p->event, nullptr);
	bool is_last = !p->is_watched;
	g.unlock();
	if (event)
		d.release_event(event);
	if (is_last)
		pool().release(p, sizeof(*p));
	g.lock();
}

event_state ask(device &d, void *event)
{
	event_state s = d.look_at_event(event);
	if (s == event_state::done && d.wait_event(event))
		s = event_state::failed;
	bool is_wrong = (s == event_state::under_way && is_mutant(mutant::untimely)) ||
			(s == event_state::failed && is_mutant(mutant::unheard));
	return is_wrong ? event_state::done : s;
}

} // namespace

int settle(array &a, array_guard &g, copyset *broken)
{
	int err = 0;
	while (pending_kernel *p = a.pending) {
		p->waiters++;
		p->lookers++;
		g.unlock();
		int failed = a.context->devices[p->device]->wait_event(p->event);
		delay_point();
		g.lock();
		p->lookers--;
		announce_change(a);
		if (failed)
			err = failed;
		p->failed |= failed != 0;
		if (failed && p->writes && broken)
			*broken |= device_copy(p->device);
		// The kernel is pending until nobody looks at the event: that may be memory of the program's, and who
		// comes now must not return before.
		while (p->lookers)
			g.wait_for_change();
		if (a.pending == p)
			a.pending = nullptr;
		p->waiters--;
		let_go(a, g, p);
	}
	return err;
}

event_state look_at_pending(array &a, pending_kernel *p)
{
	caller_guard g(a);
	event_state now = event_state::done;
	if (a.pending == p) {
		p->lookers++;
		g.unlock();
		delay_point();
		now = ask(*a.context->devices[p->device], p->event);
		delay_point();
		g.lock();
		p->lookers--;
		announce_change(a);
	}
	// Those who wait for it see to the rest when they have seen its end, too.
	if (a.pending == p && now == event_state::done && p->waiters)
		now = event_state::under_way;
	if (a.pending == p && now == event_state::under_way)
		return now;
	if (a.pending == p && now == event_state::done)
		a.pending = nullptr;
	bool failed = p->failed || now == event_state::failed;
	p->is_watched = false;
	let_go(a, g, p);
	return failed ? event_state::failed : event_state::done;
}

void unwatch_pending(array &a, pending_kernel *p)
{
	caller_guard g(a);
	p->is_watched = false;
	let_go(a, g, p);
}

} // namespace het
