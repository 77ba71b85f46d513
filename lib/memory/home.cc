// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/home.h"

#include "memory/brackets.h"
#include "memory/chunks.h"
#include "memory/edges.h"
#include "memory/failure.h"
#include "memory/fragmented.h"
#include "memory/history.h"
#include "memory/hooks.h"
#include "memory/host_writes.h"
#include "memory/library.h"
#include "memory/pending.h"
#include "memory/send_ahead.h"
#include "memory/transfer.h"
#include "os/inject.h"
#include "os/log.h"
#include "os/probes.h"

#include <algorithm>

namespace het
{

namespace
{

void finish_run(array &a, const chunk_run &run, event e, bool copied)
{
	for (uint32_t c = run.first; copied && c < run.first + run.count; c++) {
		chunk &ch = a.chunks[c];
		enter(a, ch, next_step(ch.state(), e, 0, a.context->rules).next);
		if (ch.flags & chunk_failed)
			heal_chunk(a, c);
	}
	release_chunks(a, run.first, run.count);
}

// Brings home what comes first in the span and is not busy; *stopped is where it ends. The lock is dropped meanwhile.
// No kernel is pending.
int bring_next_home(array &a, array_guard &g, layout::span s, event e, unsigned lane, uint32_t *stopped)
{
	round r = next_round(a, s, e, 0);
	*stopped = r.next;
	if (!r.count)
		return 0;
	g.unlock();
	delay_point();
	int err = copy_to_host(a, {r.runs, r.count}, lane);
	g.lock();
	for (size_t i = 0; i < r.count; i++)
		finish_run(a, r.runs[i], e, !err);
	return err;
}

} // namespace

int bring_home(array &a, array_guard &g, layout::span s, event e, unsigned lane)
{
	for (uint32_t c = s.first; c < s.last;) {
		uint32_t next = c;
		int err = settle(a, g);
		if (!err)
			err = bring_next_home(a, g, {c, s.last}, e, lane, &next);
		if (err)
			return err;
		if (next == c)
			g.wait_for_change();
		c = next;
	}
	return 0;
}

namespace
{

// Shows chunks whose bytes are at home, and none of which is barred. The caller holds the array's lock.
int show_chunks(array &a, layout::span s, event e)
{
	take_in_host_writes(a);
	for (uint32_t c = s.first; c < s.last; c++) {
		chunk &ch = a.chunks[c];
		step st = next_step(ch.state(), e, 0, a.context->rules);
		// The chunk is busy or gone again to another thread's kernel, and a touch will wait for it.
		if (st.copies() || ch.flags)
			continue;
		narrow_fast(a, st.next.valid);
		enter(a, ch, st.next);
		note_touch(a, {c, c + 1}, e == event::touch_write);
		range r = a.place.chunk_range(c, 1);
		HET_PROBE3(resolve, r.begin, r.size(), int(st.next.host));
		int err = a.context->catcher->admit(pages_of(a, r), st.next.host);
		if (err > 0)
			take_in_found_writes(a, {c, c + 1});
		if (err < 0)
			return fail(GPUVM_EPROT, "array %p: pages can't be shown (errno %d)", a.place.user.ptr(), -err);
	}
	return 0;
}

bool is_barred(const array &a, layout::span s)
{
	for (uint32_t c = s.first; a.context->strict && c < s.last; c++) {
		if (is_barred(a, c))
			return true;
	}
	return false;
}

// In strict mode a touch waits while a kernel writes. The caller is no visitor then, which would keep a forced unlink
// waiting.
void wait_for_writers(array &a, array_guard &g, range r)
{
	while (a.live && is_barred(a, a.place.chunks_of(r)))
		g.wait_for_change();
}

} // namespace

int bring_range_home(range r, event e)
{
	for (uintptr_t at = r.begin; at < r.end;) {
		array *a = lib().arrays.first_overlap({at, r.end});
		if (!a)
			break;
		caller_guard g(*a);
		visit v(*a, g);
		range extent = a->place.extent();
		// It was unlinked since it was found, so look again.
		if (!v || !extent.overlaps({at, r.end}))
			continue;
		int edges = collect_edges(*a, g, every_device);
		layout::span s = a->place.chunks_of(r);
		int err = bring_home(*a, g, s, e);
		// Who writes past the page tables is not to meet a copy.
		while (e == event::touch_write && !keep_from_sending(*a, s))
			g.wait_for_change();
		if (err || edges)
			return err ? err : edges;
		at = extent.end;
	}
	return 0;
}

namespace
{

// show_in() returns this of an array that is not linked any longer, or not where it was.
constexpr int changed = 1;

// Shows what of @r lies in the array, and tells where that ends.
int show_in(array &a, range r, event e, uintptr_t *end)
{
	caller_guard g(a);
	for (uintptr_t at = r.begin;;) {
		wait_for_writers(a, g, r);
		visit v(a, g);
		if (!v || !a.place.extent().overlaps(r))
			return changed;
		layout::span s = a.place.chunks_of(r);
		int err = settle(a, g);
		if (!err)
			err = collect_edges(a, g, every_device);
		if (err)
			return err;
		// A kernel may have begun since there was none.
		if (is_barred(a, s))
			continue;
		layout::span rest = a.place.chunks_of({at, r.end});
		// As above.
		if (rest.first >= rest.last && e == event::touch_write && !keep_from_sending(a, s)) {
			g.wait_for_change();
			continue;
		}
		if (rest.first >= rest.last) {
			*end = a.place.extent().end;
			return show_chunks(a, s, e);
		}
		uint32_t next = rest.first;
		if (int err = bring_next_home(a, g, rest, event::fetch, any_lane, &next))
			return err;
		if (next == rest.first)
			g.wait_for_change();
		at = std::max(at, a.place.chunk_range(next, 1).begin);
	}
}

// It is false if the array is not linked.
bool user_range_of(array &a, range *user)
{
	caller_guard g(a);
	*user = a.place.user;
	return a.live;
}

} // namespace

int show_range(range r, event e)
{
	array *a = lib().arrays.find(r.begin);
	range user;
	if (!a || !user_range_of(*a, &user))
		return fail(GPUVM_EHOSTPTR, "gpuvm_host_begin: %p points into no linked array", r.ptr());
	if (r.empty() || !user.covers(r))
		return fail(GPUVM_EARG, "gpuvm_host_begin: %p + %zu is not inside array %p + %zu", r.ptr(), r.size(),
			    user.ptr(), user.size());
	uintptr_t end;
	int err = show_in(*a, r, e, &end);
	return err == changed ? fail(GPUVM_EHOSTPTR, "gpuvm_host_begin: array %p was unlinked meanwhile", r.ptr())
			      : err;
}

int show_linked(range r, event e)
{
	int err = 0;
	while (!r.empty() && !err) {
		array *a = lib().arrays.first_overlap(r);
		if (!a)
			break;
		delay_point();
		err = show_in(*a, r, e, &r.begin);
		err = err == changed ? 0 : err;
	}
	return err;
}

bool anything_linked()
{
	const library &l = lib();
	return l.ready.load(std::memory_order_acquire) && !l.arrays.empty();
}

bool is_linked(const void *p, size_t n)
{
	return n && anything_linked() && lib().arrays.first_overlap(range_of(p, n)) != nullptr;
}

void bring_home(const void *p, size_t n, access to)
{
	if (is_linked(p, n))
		bring_range_home(range_of(p, n), to == access::write ? event::touch_write : event::fetch);
}

} // namespace het
