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

int bring_range_home(range r, event e)
{
	int err = 0;
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
		if (!a->held)
			err = bring_home(*a, g, a->place.chunks_of(r), e, lane);
		else
			g.wait_for_change();
		if (err)
			return err;
		at = extent.end;
	}
	return err;
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
