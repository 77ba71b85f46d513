// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/fragmented.h"

#include "memory/context.h"
#include "memory/noted_changes.h"
#include "os/pool.h"

#include <bit>

namespace het
{

namespace
{

fragmented_chunk *find(const array &a, uint32_t c)
{
	fragmented_chunk *f = a.chunks[c].flags & chunk_fragmented ? a.fragmented : nullptr;
	while (f && f->number != c)
		f = f->next;
	return f;
}

// It is null without memory.
fragmented_chunk *find_or_make(array &a, uint32_t c)
{
	if (fragmented_chunk *f = find(a, c))
		return f;
	auto *f = pool_array<fragmented_chunk>(1);
	if (!f)
		return nullptr;
	*f = {a.fragmented, c, fragments(uint32_t(a.place.bytes_of(c).size()), a.chunks[c].valid)};
	a.fragmented = f;
	a.chunks[c].flags |= chunk_fragmented;
	return f;
}

extent extent_of(const array &a, uint32_t c, range bytes)
{
	range all = a.place.bytes_of(c), r = intersect(bytes, all);
	return {uint32_t(r.begin - all.begin), uint32_t(r.end - all.begin)};
}

// Fragments have changed: the chunk is what they say.
void take_over(array &a, fragmented_chunk &f)
{
	a.fast.store(0);
	a.chunks[f.number].valid = f.bytes.common();
	if (f.bytes.is_one())
		forget_fragments(a, f.number);
}

// It is false without memory or room.
bool change(array &a, uint32_t c, range bytes, unsigned device, bool (fragments::*how)(extent, copyset))
{
	fragmented_chunk *f = find_or_make(a, c);
	if (!f)
		return false;
	bool done = (f->bytes.*how)(extent_of(a, c, bytes), device_copy(device));
	take_over(a, *f);
	return done;
}

} // namespace

const fragments *fragments_of(const array &a, uint32_t c)
{
	const fragmented_chunk *f = find(a, c);
	return f ? &f->bytes : nullptr;
}

copies_at copies_of(const array &a, uint32_t c, uintptr_t at)
{
	range all = a.place.bytes_of(c);
	const fragments *f = fragments_of(a, c);
	if (!f)
		return {a.chunks[c].valid, all.end};
	const fragment &there = f->at(uint32_t(at - all.begin));
	return {there.valid, all.begin + there.end};
}

bool write_fragment(array &a, uint32_t c, range bytes, unsigned device)
{
	note_change(a, c);
	return change(a, c, bytes, device, &fragments::write);
}

bool add_fragment(array &a, uint32_t c, range bytes, unsigned device)
{
	return a.chunks[c].state().device_valid(device) || change(a, c, bytes, device, &fragments::add);
}

bool drop_copy(array &a, uint32_t c, range bytes, unsigned device)
{
	fragmented_chunk *f = find(a, c);
	if (!f && a.chunks[c].state().device_valid(device) && !bytes.covers(a.place.bytes_of(c)))
		f = find_or_make(a, c);
	if (f) {
		bool others = f->bytes.drop(extent_of(a, c, bytes), device_copy(device));
		take_over(a, *f);
		return others;
	}
	step st = next_step(a.chunks[c].state(), event::drop, device, a.context->rules);
	narrow_fast(a, st.next.valid);
	enter(a, a.chunks[c], st.next);
	return st.allowed;
}

bool drop_copy(array &a, uint32_t c, unsigned device)
{
	return drop_copy(a, c, a.place.bytes_of(c), device);
}

bool has_lost_bytes(const array &a, uint32_t c)
{
	copyset lost = a.context->lost.load();
	bool any = false;
	for_each_fragment(a, c, [&](range, copyset valid) { any |= !(valid & ~lost); });
	return any;
}

void leave_rest_to_host(array &a, uint32_t c)
{
	if (fragmented_chunk *f = find(a, c)) {
		f->bytes.leave_to_host(a.context->lost.load());
		take_over(a, *f);
	}
}

step step_of(const array &a, uint32_t c, event e, unsigned device)
{
	step st = next_step(a.chunks[c].state(), e, device, a.context->rules);
	if (st.copies() && (a.chunks[c].flags & chunk_fragmented))
		st.from = each_fragments_own;
	return st;
}

void enter(array &a, chunk &ch, chunk_state next)
{
	// A kernel that began on the fast path has marked no chunk; it is enough to do so when its device loses one.
	for (copyset lost = ch.valid & ~next.valid & ~host_copy; lost; lost &= lost - 1) {
		unsigned device = device_of(unsigned(std::countr_zero(lost)));
		if (a.links[device].open.load() >= one_writer)
			ch.writer = uint8_t(1 + device);
	}
	auto c = uint32_t(&ch - a.chunks);
	a.sent.void_copy_of(c);
	// The host may have written, or may do so from now on.
	if (ch.host == access::write || next.host == access::write || next.valid == host_copy)
		note_change(a, c);
	if (next != ch.state())
		forget_fragments(a, c);
	ch.valid = next.valid;
	ch.host = next.host;
}

void forget_fragments(array &a, uint32_t c)
{
	if (!(a.chunks[c].flags & chunk_fragmented))
		return;
	a.chunks[c].flags &= uint8_t(~chunk_fragmented);
	fragmented_chunk **p = &a.fragmented;
	while ((*p)->number != c)
		p = &(*p)->next;
	fragmented_chunk *f = *p;
	*p = f->next;
	pool().release(f, sizeof(*f));
}

void forget_all_fragments(array &a)
{
	while (a.fragmented)
		forget_fragments(a, a.fragmented->number);
}

} // namespace het
