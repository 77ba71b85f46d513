// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/home.h"

#include "memory/failure.h"
#include "memory/hooks.h"
#include "memory/kernel.h"
#include "memory/lane.h"
#include "memory/library.h"
#include "memory/transfer.h"
#include "os/inject.h"
#include "os/log.h"

namespace het
{

namespace
{

void finish_run(array &a, const chunk_run &run, event e, bool copied)
{
	for (uint32_t c = run.first; copied && c < run.first + run.count; c++) {
		chunk &ch = a.chunks[c];
		ch.enter(next_step(ch.state(), e, 0, lib().rules).next);
		if (ch.flags & chunk_failed)
			heal_chunk(a, c);
	}
	release_chunks(a, run.first, run.count);
}

} // namespace

int bring_home(array &a, array_guard &g, layout::span s, event e, unsigned lane)
{
	int err = settle(a, g);
	for (uint32_t c = s.first; c < s.last && !err;) {
		round r = next_round(a, {c, s.last}, e, 0);
		c = r.next;
		if (!r.count) {
			if (c < s.last)
				g.wait_for_change();
			continue;
		}
		g.unlock();
		delay_point();
		err = copy_to_host(a, {r.runs, r.count}, lane);
		g.lock();
		for (size_t i = 0; i < r.count; i++)
			finish_run(a, r.runs[i], e, !err);
	}
	return err;
}

namespace
{

// Shows chunks whose bytes are at home. Lock held.
int show_chunks(array &a, layout::span s, event e)
{
	for (uint32_t c = s.first; c < s.last; c++) {
		chunk &ch = a.chunks[c];
		step st = next_step(ch.state(), e, 0, lib().rules);
		// Busy or gone again: another thread's kernel; a touch will wait for it.
		if (st.copies() || ch.flags)
			continue;
		narrow_fast(a, st.next.valid);
		ch.enter(st.next);
		if (int err = lib().catcher->admit(a.place.chunk_range(c, 1), st.next.host))
			return fail(GPUVM_EPROT, "array %p: pages can't be shown (errno %d)", a.place.user.ptr(), -err);
	}
	return 0;
}

// Calls f(array, guard, lane) for each array with bytes in @r, not held.
template <class F> int for_each_array(range r, F f)
{
	for (uintptr_t at = r.begin; at < r.end;) {
		array *a = lib().arrays.first_overlap({at, r.end});
		if (!a)
			break;
		lane_lease lane;
		caller_guard g(*a);
		range extent = a->place.extent();
		// Unlinked since it was found: look again.
		if (!a->live || !extent.overlaps({at, r.end}))
			continue;
		if (a->held) {
			g.wait_for_change();
			continue;
		}
		if (int err = f(*a, g, lane))
			return err;
		at = extent.end;
	}
	return 0;
}

} // namespace

int bring_range_home(range r, event e)
{
	return for_each_array(r, [&](array &a, array_guard &g, unsigned lane) {
		return bring_home(a, g, a.place.chunks_of(r), e, lane);
	});
}

int show_range(range r, event e)
{
	return for_each_array(r, [&](array &a, array_guard &g, unsigned lane) {
		layout::span s = a.place.chunks_of(r);
		int err = bring_home(a, g, s, event::fetch, lane);
		return err ? err : show_chunks(a, s, e);
	});
}

bool anything_linked()
{
	return lib().ready.load(std::memory_order_acquire) && !lib().arrays.empty();
}

bool is_linked(const void *p, size_t n)
{
	return anything_linked() && lib().arrays.first_overlap(range_of(p, n)) != nullptr;
}

void bring_home(const void *p, size_t n, access to)
{
	if (is_linked(p, n))
		bring_range_home(range_of(p, n), to == access::write ? event::touch_write : event::fetch);
}

} // namespace het
