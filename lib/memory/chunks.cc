// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/chunks.h"

#include "memory/body.h"
#include "memory/brackets.h"
#include "memory/edges.h"
#include "memory/failure.h"
#include "memory/fragmented.h"
#include "memory/host_writes.h"
#include "memory/lost_pages.h"
#include "memory/noted_changes.h"
#include "memory/pending.h"
#include "os/log.h"
#include "os/probes.h"

namespace het
{

// It goes on after an error: what can be taken away is.
int lower_access(array &a, layout::span s, access to)
{
	int err = 0;
	for (uint32_t c = s.first; c < s.last;) {
		uint32_t first = c;
		auto has_more = [&](uint32_t i) { return i < s.last && a.chunks[i].host > to; };
		bool failed = has_more(c) && (a.chunks[c].flags & chunk_failed);
		// Of what was not lost the host is the only owner, unseen by the page source's counter.
		access lowest = failed ? access::none : to;
		c += failed;
		while (!failed && has_more(c) && !(a.chunks[c].flags & chunk_failed))
			c++;
		if (c == first) {
			c++;
			continue;
		}
		range r = a.place.chunk_range(first, c - first);
		HET_PROBE3(revoke, r.begin, r.size(), int(to));
		int e = failed ? protect_rest(a, first, lowest) : a.context->catcher->protect(pages_of(a, r), to);
		if (e < 0) {
			err = fail(GPUVM_EPROT, "array %p: pages can't be taken from the host (errno %d)",
				   a.place.user.ptr(), -e);
			continue;
		}
		if (e > 0)
			take_in_found_writes(a, {first, c});
		for (uint32_t i = first; i < c; i++) {
			if (a.chunks[i].host == access::write)
				note_change(a, i);
			a.chunks[i].host = lowest;
		}
	}
	return err;
}

void wait_until_idle(array &a, array_guard &g, layout::span s)
{
	for (uint32_t c = s.first; c < s.last;) {
		if (a.chunks[c].flags & chunk_busy) {
			g.wait_for_change();
			c = s.first; // the lock was dropped, so one that was idle may be fetched by now
		} else {
			c++;
		}
	}
}

int wait_until_quiet(array &a, array_guard &g, layout::span s)
{
	int err = 0;
	do {
		if (int e = settle(a, g))
			err = e;
		wait_until_idle(a, g, s);
	} while (a.pending);
	return err;
}

void release_chunks(array &a, uint32_t first, uint32_t count)
{
	bool awaited = false;
	for (uint32_t c = first; c < first + count; c++) {
		awaited |= a.chunks[c].flags & chunk_awaited;
		a.coming -= (a.chunks[c].flags & chunk_coming) != 0;
		a.chunks[c].flags &= uint8_t(~(chunk_busy | chunk_awaited | chunk_kept | chunk_coming));
	}
	if (awaited)
		a.context->catcher->wake(pages_of(a, first, count));
	announce_change(a);
}

void forget_writers(array &a, layout::span s)
{
	const bool any = any_writer(a);
	for (uint32_t c = s.first; c < s.last; c++) {
		if (a.chunks[c].writer && !(any && being_written(a, c)))
			a.chunks[c].writer = 0;
	}
	forget_edge_writers(a);
}

// A chunk that the device was never given (a begin failed half-way) stays with the host.
void enter_all(array &a, layout::span s, chunk_state next)
{
	narrow_fast(a, next.valid);
	for (uint32_t c = s.first; c < s.last; c++)
		enter(a, a.chunks[c], next);
}

int give_to_device(array &a, layout::span s, unsigned device)
{
	a.fast.store(0);
	note_change(a, s);
	int err = lower_access(a, s, access::none);
	const chunk_state owner = {device_copy(device), access::none};
	steps known(a, event::end_written, device);
	for (uint32_t c = s.first; c < s.last; c++) {
		chunk &ch = a.chunks[c];
		bool given = ch.writer == 1 + device || ch.state().device_valid(device);
		bool has_it = ch.state() == owner && !(ch.flags & (chunk_fragmented | chunk_failed));
		if (!given || ch.host != access::none || has_it)
			continue;
		forget_fragments(a, c);
		enter(a, ch, known.of(c).next);
		int e = ch.flags & chunk_failed ? heal_chunk(a, c) : 0;
		if (e)
			err = e;
	}
	return err;
}

} // namespace het
