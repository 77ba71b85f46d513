// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/kernel.h"

#include "memory/edges.h"
#include "memory/failure.h"
#include "memory/lane.h"
#include "memory/library.h"
#include "memory/resolver.h"
#include "memory/transfer.h"
#include "os/inject.h"
#include "os/log.h"
#include "os/pool.h"
#include "os/probes.h"

#include <algorithm>

namespace het
{

int lower_access(array &a, layout::span s, access to)
{
	for (uint32_t c = s.first; c < s.last;) {
		uint32_t first = c;
		while (c < s.last && a.chunks[c].host > to)
			c++;
		if (c == first) {
			c++;
			continue;
		}
		range r = a.place.chunk_range(first, c - first);
		HET_PROBE3(revoke, r.begin, r.size(), int(to));
		if (int err = lib().catcher->protect(r, to))
			return fail(GPUVM_EPROT, "array %p: pages can't be taken from the host (errno %d)",
				    a.place.user.ptr(), -err);
		for (uint32_t i = first; i < c; i++)
			a.chunks[i].host = to;
	}
	return 0;
}

void wait_until_idle(array &a, array_guard &g, layout::span s)
{
	for (uint32_t c = s.first; c < s.last;) {
		if (a.chunks[c].flags & chunk_busy) {
			g.wait_for_change();
			c = s.first; // the lock was dropped: one that was idle may be fetched by now
		} else {
			c++;
		}
	}
}

void release_chunks(array &a, uint32_t first, uint32_t count)
{
	bool awaited = false;
	for (uint32_t c = first; c < first + count; c++) {
		awaited |= a.chunks[c].flags & chunk_awaited;
		a.chunks[c].flags &= uint8_t(~(chunk_busy | chunk_awaited));
	}
	if (awaited)
		lib().catcher->wake(a.place.chunk_range(first, count));
	announce_change(a);
}

int settle(array &a, array_guard &g)
{
	while (a.pending.event) {
		pending_kernel p = a.pending;
		device &d = *lib().devices[p.device];
		d.retain_event(p.event);
		g.unlock();
		int err = d.wait_event(p.event);
		g.lock();
		if (a.pending.event == p.event) {
			d.release_event(p.event);
			a.pending.event = nullptr;
		}
		d.release_event(p.event);
		if (err)
			return err;
	}
	return 0;
}

namespace
{

// ---- brackets ----------------------------------------------------------------------------------------

// What a kernel has of an array.
struct usage {
	unsigned device;
	range part;
	bool whole;
};

// Both have bytes of one chunk, or of one edge.
bool meet(const array &a, range one, range other)
{
	layout::span s = a.place.chunks_of(one), t = a.place.chunks_of(other);
	auto both_in = [&](range edge) { return edge.overlaps(one) && edge.overlaps(other); };
	return (s.first < t.last && t.first < s.last) || both_in(a.place.head) || both_in(a.place.tail);
}

// Another device is writing there. (Readers elsewhere keep their own copies, so a writer may join them.)
bool conflicts(const array &a, const usage &u)
{
	for (unsigned d = 0; d < lib().ndevs; d++) {
		if (d != u.device && (a.links[d].open.load() & open_writes))
			return true;
	}
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->device != u.device && b->writes && meet(a, b->part, u.part))
			return true;
	}
	return false;
}

void open_whole(link &l, bool writing)
{
	uint32_t old = l.open.load();
	while (!l.open.compare_exchange_weak(old, (old + 1) | (writing ? open_writes : 0)))
		;
}

// False: none was open. *wrote: some kernel of those that are open together writes.
bool close_whole(link &l, bool *wrote)
{
	uint32_t old = l.open.load(), now;
	do {
		if (!(old & ~open_writes))
			return false;
		now = old - 1;
		if (!(now & ~open_writes))
			now = 0;
	} while (!l.open.compare_exchange_weak(old, now));
	*wrote = old & open_writes;
	return true;
}

// close_whole() for a kernel that only read, if no other one writes.
bool close_reader(link &l)
{
	uint32_t old = l.open.load();
	while (old && !(old & open_writes)) {
		if (l.open.compare_exchange_weak(old, old - 1))
			return true;
	}
	return false;
}

bool is_part(const bracket &b, const usage &u)
{
	return b.device == u.device && b.part == u.part;
}

bool open_part(array &a, const usage &u, bool writing)
{
	auto *b = pool_array<bracket>(1);
	if (!b)
		return false;
	*b = {a.parts, u.part, uint8_t(u.device), writing};
	a.parts = b;
	return true;
}

bool close_part(array &a, const usage &u, bool *wrote)
{
	for (bracket **p = &a.parts; *p; p = &(*p)->next) {
		bracket *b = *p;
		if (!is_part(*b, u))
			continue;
		*wrote = b->writes;
		*p = b->next;
		pool().release(b, sizeof(*b));
		return true;
	}
	return false;
}

int open_bracket(array &a, const usage &u, bool writing)
{
	if (conflicts(a, u))
		return fail(GPUVM_ESTATE,
			    "gpuvm_kernel_begin: another device is writing array %p; end its kernel first",
			    a.place.user.ptr());
	if (u.whole)
		open_whole(a.links[u.device], writing);
	else if (!open_part(a, u, writing))
		return fail(GPUVM_ESALLOC, "gpuvm_kernel_begin_range: out of memory");
	return 0;
}

void look_at_bracket(const array &a, const usage &u, bool *open, bool *writer)
{
	uint32_t count = a.links[u.device].open.load();
	*open = u.whole && (count & ~open_writes);
	*writer = count & open_writes;
	for (const bracket *b = a.parts; b && !u.whole; b = b->next) {
		if (!is_part(*b, u))
			continue;
		*open = true;
		*writer |= b->writes;
	}
}

bool close_bracket(array &a, const usage &u, bool *wrote)
{
	return u.whole ? close_whole(a.links[u.device], wrote) : close_part(a, u, wrote);
}

// ---- begin -------------------------------------------------------------------------------------------

void finish_run(array &a, const chunk_run &run, event e, unsigned device, bool copied)
{
	for (uint32_t c = run.first; copied && c < run.first + run.count; c++) {
		chunk &ch = a.chunks[c];
		ch.enter(next_step(ch.state(), e, device, lib().rules).next);
		if (run.via_alias)
			ch.valid |= host_copy;
		if (e == event::begin_write)
			ch.writer = uint8_t(1 + device);
	}
	release_chunks(a, run.first, run.count);
}

// Makes the device's copy of all chunks valid, as far as @e says.
int bring_to_device(array &a, array_guard &g, layout::span s, event e, unsigned device, unsigned lane)
{
	int err = 0;
	for (uint32_t c = s.first; c < s.last && !err;) {
		round r = next_round(a, {c, s.last}, e, device);
		c = r.next;
		lib().stats.kept_bytes.add(r.kept);
		if (!r.count) {
			if (c < s.last)
				g.wait_for_change();
			continue;
		}
		for (size_t i = 0; i < r.count && !err && e == event::begin_read; i++)
			err = lower_access(a, {r.runs[i].first, r.runs[i].first + r.runs[i].count}, access::read);
		g.unlock();
		delay_point();
		if (!err)
			err = copy_to_device(a, device, {r.runs, r.count}, lane);
		delay_point();
		g.lock();
		for (size_t i = 0; i < r.count; i++)
			finish_run(a, r.runs[i], e, device, !err);
	}
	return err;
}

// Chunks that a write-only kernel does not cover must arrive whole all the same.
int bring_partial_chunks(array &a, array_guard &g, layout::span s, range part, unsigned device, unsigned lane)
{
	int err = 0;
	for (uint32_t c : {s.first, s.last - 1}) {
		range bytes = intersect(a.place.chunk_range(c, 1), a.place.user);
		if (!err && s.first < s.last && !part.covers(bytes))
			err = bring_to_device(a, g, {c, c + 1}, event::begin_write, device, lane);
	}
	return err;
}

// The device's copy is about to be overwritten: nothing may be on its way there, or be sent there later.
void leave_to_writer(array &a, array_guard &g, layout::span s, unsigned device)
{
	for (uint32_t c = s.first; c < s.last; c++) {
		wait_until_idle(a, g, {c, c + 1});
		a.chunks[c].writer = uint8_t(1 + device);
	}
}

// A begin has failed.
void forget_writer(array &a, layout::span s)
{
	for (uint32_t c = s.first; c < s.last; c++) {
		if (!being_written(a, c))
			a.chunks[c].writer = 0;
	}
}

// A strict begin: the host loses the chunks before anything is copied, so no write of its can be lost.
int revoke_before_begin(array &a, array_guard &g, layout::span s)
{
	wait_until_idle(a, g, s);
	a.fast.store(0);
	return lower_access(a, s, access::none);
}

int make_valid(array &a, array_guard &g, unsigned device, layout::span s, range part, kernel_mode mode, unsigned lane)
{
	int err = 0;
	if (lib().strict && writes(mode))
		err = revoke_before_begin(a, g, s);
	if (!err && mode == kernel_mode::write_only)
		err = bring_partial_chunks(a, g, s, part, device, lane);
	else if (!err)
		err = bring_to_device(a, g, s, writes(mode) ? event::begin_write : event::begin_read, device, lane);
	if (!err && mode == kernel_mode::write_only)
		leave_to_writer(a, g, s, device);
	bool overwritten = mode == kernel_mode::write_only && part.covers(a.place.user);
	if (!err && overwritten)
		leave_edges_to_writer(a, g, device);
	else if (!err)
		err = edges_to_device(a, g, device, part, writes(mode), lane);
	return err;
}

bool may_be_fast(const array &a)
{
	return a.chunks && !a.place.has_edges() && !a.parts && !a.pending.event && !lib().strict;
}

bool all_valid(const array &a, unsigned device)
{
	for (uint32_t c = 0; c < a.place.chunks; c++) {
		if (!a.chunks[c].state().device_valid(device))
			return false;
	}
	return true;
}

// A writer must be the only one whom the hint lets pass: another device's could do so at the same time.
bool is_hinted(const array &a, unsigned device, kernel_mode mode)
{
	copyset devices = a.fast.load() & ~host_copy;
	return writes(mode) ? devices == device_copy(device) : (devices & device_copy(device)) != 0;
}

bool begin_fast(array &a, unsigned device, kernel_mode mode)
{
	if (!is_hinted(a, device, mode))
		return false;
	open_whole(a.links[device], writes(mode));
	// Another begin clears the hint first and looks for open kernels then; so one of us sees the other.
	if (is_hinted(a, device, mode)) {
		if (mode != kernel_mode::write_only)
			lib().stats.kept_bytes.add(a.place.user.size());
		return true;
	}
	bool wrote;
	close_whole(a.links[device], &wrote);
	return false;
}

// ---- end ---------------------------------------------------------------------------------------------

// Lets those try again who were turned away because a kernel was writing (strict mode).
void wake_awaited(array &a, layout::span s)
{
	for (uint32_t c = s.first; c < s.last; c++) {
		if ((a.chunks[c].flags & (chunk_awaited | chunk_busy)) == chunk_awaited)
			release_chunks(a, c, 1);
	}
	announce_change(a);
}

int end_writer(array &a, array_guard &g, unsigned device, layout::span s, range part, bool whole, void *event,
	       unsigned lane)
{
	int err = settle(a, g);
	wait_until_idle(a, g, s);
	if (int e = give_to_device(a, s, device))
		err = e;
	if (event)
		a.pending = {event, uint8_t(device)};
	if (!event) {
		if (int e = edges_to_host(a, g, device, part, lane))
			err = e;
	}
	if (!err && whole && may_be_fast(a))
		a.fast.store(device_copy(device) | host_copy);
	expect_touch();
	return err;
}

// A reader that is still at work must not have its copy overwritten: later begins wait for the event.
int end_reader(array &a, array_guard &g, unsigned device, void *event)
{
	if (!event)
		return 0;
	int err = settle(a, g);
	a.fast.store(0);
	a.pending = {event, uint8_t(device)};
	return err;
}

} // namespace

bool being_written(const array &a, uint32_t c)
{
	for (unsigned d = 0; d < lib().ndevs; d++) {
		if (a.links[d].open.load() & open_writes)
			return true;
	}
	for (const bracket *b = a.parts; b; b = b->next) {
		layout::span s = a.place.chunks_of(b->part);
		if (b->writes && s.first <= c && c < s.last)
			return true;
	}
	return false;
}

int give_to_device(array &a, layout::span s, unsigned device)
{
	a.fast.store(0);
	int err = lower_access(a, s, access::none);
	for (uint32_t c = s.first; c < s.last && !err; c++) {
		a.chunks[c].enter(next_step(a.chunks[c].state(), event::end_written, device, lib().rules).next);
		a.chunks[c].writer = 0;
		if (a.chunks[c].flags & chunk_failed)
			err = heal_chunk(a, c);
	}
	return err;
}

int begin_kernel(array &a, unsigned device, range part, bool whole, kernel_mode mode)
{
	if (whole && begin_fast(a, device, mode))
		return 0;
	lane_lease lane;
	caller_guard g(a);
	if (!a.links[device].devbuf.load())
		return fail(GPUVM_ENOLINK, "gpuvm_kernel_begin: array %p is not linked on device %u", part.ptr(),
			    device);
	const usage u{device, part, whole};
	layout::span s = a.place.chunks_of(part);
	if (lib().strict && writes(mode) && a.place.has_edges())
		return fail(GPUVM_ESTATE,
			    "gpuvm_kernel_begin: array %p has edges, which strict mode can't watch; align it to pages "
			    "or use gpuvm_malloc()",
			    a.place.user.ptr());
	int err = settle(a, g);
	// Before the brackets are looked at: see begin_fast().
	a.fast.store(0);
	if (!err)
		err = open_bracket(a, u, writes(mode));
	if (err)
		return err;
	err = make_valid(a, g, device, s, part, mode, lane);
	// Chunks may have changed hands while the lock was dropped: the hint needs a look of its own.
	bool shareable = may_be_fast(a) && all_valid(a, device) && !conflicts(a, u);
	if (!err && whole && mode == kernel_mode::read_only && shareable)
		a.fast.store(a.fast.load() | device_copy(device));
	if (err) {
		bool wrote;
		close_bracket(a, u, &wrote);
		forget_writer(a, s);
		wake_awaited(a, s);
	}
	return err;
}

int end_kernel(array &a, unsigned device, range part, bool whole, void *event)
{
	bool wrote;
	// Valid on the device alone since the begin: nothing changes. Not a plain load: see leave_fast().
	if (whole && !event && a.fast.fetch_or(0) == (device_copy(device) | host_copy) &&
	    close_whole(a.links[device], &wrote))
		return 0;
	if (whole && !event && close_reader(a.links[device]))
		return 0;
	lane_lease lane;
	caller_guard g(a);
	const usage u{device, part, whole};
	layout::span s = a.place.chunks_of(part);
	if (event && a.place.has_edges())
		return fail(GPUVM_ESTATE,
			    "gpuvm_kernel_end_event: array %p has edges, which can't be copied back later; align it to "
			    "pages or use gpuvm_malloc()",
			    a.place.user.ptr());
	// The bracket stays open until the host has lost the chunks: in strict mode it keeps touches waiting.
	bool open, writer;
	look_at_bracket(a, u, &open, &writer);
	if (!open)
		return fail(GPUVM_ESTATE, "gpuvm_kernel_end: no kernel on device %u has begun to use array %p", device,
			    a.place.user.ptr());
	int err = writer ? end_writer(a, g, device, s, part, whole, event, lane) : end_reader(a, g, device, event);
	close_bracket(a, u, &wrote);
	wake_awaited(a, s);
	return err;
}

} // namespace het
