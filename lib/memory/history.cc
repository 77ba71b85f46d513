// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/history.h"

#include "memory/context.h"
#include "os/pool.h"

#include <new>

namespace het
{

static size_t size_for(const array &a)
{
	return sizeof(array_history) + a.place.chunks * sizeof(chunk_history);
}

array_history *open_history(const array &a, bool asks_in_place)
{
	void *memory = pool().allocate(size_for(a));
	if (!memory)
		return nullptr;
	auto *h = new (memory) array_history;
	auto bytes = uint32_t(size_t{1} << a.place.chunk_shift);
	h->open(h->chunks, a.place.chunks, uint32_t(bytes / a.place.page), bytes, a.context->foresight, asks_in_place);
	return h;
}

void forget_touches(array &a)
{
	for (array_history **h : {&a.foreseen, &a.rewrites}) {
		if (*h)
			pool().release(*h, size_for(a));
		*h = nullptr;
	}
}

bool is_worth_a_history(array &a, uint8_t since, uint8_t before)
{
	if (!(a.touched & since))
		return false;
	bool often = (a.touched & before) || !learns(a.context->foresight);
	a.touched = uint8_t((a.touched & ~since) | before);
	return often;
}

void note_touch(array &a, layout::span s, bool write)
{
	a.touched |= write ? touched_since_end | written_since_begin : touched_since_end;
	if (a.foreseen)
		a.foreseen->touched(s.first, s.last - s.first, write);
	if (a.rewrites && write)
		a.rewrites->touched(s.first, s.last - s.first, true);
}

void note_unseen_write(array &a, uint32_t c)
{
	a.touched |= written_since_begin;
	for (array_history *h : {a.foreseen, a.rewrites}) {
		if (h)
			h->answer(c, expectation::write);
	}
}

uint64_t name_of(const usage &u)
{
	uint64_t part = u.whole ? 0 : u.part.begin * 31 + u.part.end;
	return (part + u.device + 1) * 0x9e3779b97f4a7c15u;
}

foresight::verdict learn(array &a, array_history &h, const usage &u, uint32_t unseen, bool may)
{
	const statistics &s = a.context->stats;
	if (uint64_t n = s.touches.get())
		h.touch_takes(s.touch_ns.get() / n);
	layout::span chunks = a.place.chunks_of(u.part);
	return h.kernel_ended(name_of(u), chunks.first, chunks.last, unseen, may);
}

} // namespace het
