// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/evict.h"

#include "memory/brackets.h"
#include "memory/chunks.h"
#include "memory/edges.h"
#include "memory/fragmented.h"
#include "memory/home.h"
#include "memory/library.h"
#include "memory/link.h"
#include "memory/pending.h"
#include "memory/send_ahead.h"
#include "memory/visited.h"
#include "os/inject.h"
#include "os/log.h"

namespace het
{

namespace
{

// A chunk that is coming home behind a kernel stays busy until somebody who may wait for us has brought it.
bool is_in_use(const array &a, unsigned device)
{
	return (is_open(a, device) && !is_mutant(mutant::evicts_used)) || a.coming;
}

// Of a chunk in fragments some bytes may be only there, if nobody has them all.
bool is_only_there(const array &a, uint32_t c, unsigned device)
{
	const copyset valid = a.chunks[c].state().valid;
	bool in_fragments = (a.chunks[c].flags & chunk_fragmented) && !(valid & ~device_copy(device));
	return (valid == device_copy(device) || in_fragments) && !is_mutant(mutant::drops_only_copy);
}

// Brings home the next chunks before @last that nobody else has, from @c on, which becomes where to go on.
int bring_next(array &a, array_guard &g, unsigned device, uint32_t *c, uint32_t last, uint64_t *brought)
{
	while (*c < last && !is_only_there(a, *c, device))
		++*c;
	const uint32_t first = *c;
	while (*c < last && is_only_there(a, *c, device))
		++*c;
	if (first == *c)
		return 0;
	*brought += intersect(a.place.chunk_range(first, *c - first), a.place.user).size();
	return bring_home(a, g, {first, *c}, event::fetch);
}

int bring_all(array &a, array_guard &g, unsigned device, uint64_t *brought)
{
	int err = collect_edges(a, g, device_copy(device));
	for (uint32_t c = 0; a.chunks && !err && c < a.place.chunks;)
		err = bring_next(a, g, device, &c, a.place.chunks, brought);
	return err;
}

// Does most of the work before the structure lock is taken, which others need.
int bring_before(library &l, uintptr_t at, unsigned device, uint64_t *brought)
{
	array *a = l.arrays.find(at);
	if (!a)
		return 0;
	caller_guard g(*a);
	visit v(*a, g);
	if (!v || !a->place.user.contains(at) || !a->links[device].devbuf.load())
		return 0;
	if (is_in_use(*a, device))
		return GPUVM_ESTATE;
	if (int err = settle(*a, g))
		return err;
	return bring_all(*a, g, device, brought);
}

// Nobody works on the array, and nothing is under way.
bool is_quiet(const array &a, unsigned device)
{
	if (a.visitors || a.pending || a.edges.busy || a.sent.target == 1 + device)
		return false;
	for (uint32_t c = 0; a.chunks && c < a.place.chunks; c++) {
		if (a.chunks[c].flags & chunk_busy)
			return false;
	}
	return true;
}

// The lock is not dropped. It is false, and nothing has changed, if some bytes are only there.
bool drop_all(array &a, unsigned device)
{
	for (uint32_t c = 0; a.chunks && c < a.place.chunks; c++) {
		if (is_only_there(a, c, device))
			return false;
	}
	a.fast.store(0);
	for (uint32_t c = 0; a.chunks && c < a.place.chunks; c++) {
		if (!drop_copy(a, c, device)) // is so of a mutant
			enter(a, a.chunks[c], {host_copy, access::none});
	}
	for (copyset &valid : a.edges.valid)
		valid &= ~device_copy(device);
	return true;
}

// Others may do anything whenever the lock is dropped, so all of it is looked at again until nothing is left to do.
int make_droppable(array &a, array_guard &g, unsigned device, uint64_t *brought)
{
	for (;;) {
		leave_fast(a); // comes before each look at the brackets
		if (is_in_use(a, device) || a.pending)
			return GPUVM_ESTATE;
		int err = bring_all(a, g, device, brought);
		if (err)
			return err;
		stop_sending(a, g, device);
		leave_fast(a);
		if (is_in_use(a, device) || a.pending)
			return GPUVM_ESTATE;
		if (!is_quiet(a, device))
			g.wait_for_change();
		else if (drop_all(a, device))
			return 0;
	}
}

} // namespace

size_t find_residents(library &l, unsigned device, std::span<resident_array> room)
{
	size_t n = 0;
	structure_guard s(l);
	l.arrays.for_each([&](array &a) {
		caller_guard g(a);
		if (!a.managed || !a.links[device].devbuf.load())
			return;
		if (n < room.size())
			room[n] = {a.place.user, a.links[device].arrived, is_in_use(a, device)};
		n++;
	});
	return n;
}

uint64_t resident_bytes(unsigned device)
{
	return lib().resident[device].load();
}

int evict(library &l, uintptr_t at, unsigned device, uint64_t *brought)
{
	if (int err = bring_before(l, at, device, brought))
		return err;
	delay_point();
	structure_guard s(l);
	array *a = l.arrays.find(at);
	if (!a || !a->managed || !a->links[device].devbuf.load())
		return 0;
	void *buffer;
	{
		caller_guard g(*a);
		if (int err = make_droppable(*a, g, device, brought))
			return err;
		buffer = forget_link(l, *a, device);
	}
	release_buffer(l, *a, device, buffer);
	return 0;
}

size_t find_residents(unsigned device, std::span<resident_array> room)
{
	return find_residents(lib(), device, room);
}

// What comes to be written while the lock is dropped has been brought as it was before.
int bring_only_copies(range r, unsigned device)
{
	return for_each_visited(r, [=](array &a, array_guard &g) -> int {
		const layout::span s = a.place.chunks_of(r);
		uint64_t brought = 0;
		for (uint32_t c = s.first; c < s.last; c++) {
			if (being_written(a, c))
				return GPUVM_ESTATE;
		}
		for (uint32_t c = s.first; c < s.last;) {
			if (int err = bring_next(a, g, device, &c, s.last, &brought))
				return err;
		}
		return 0;
	});
}

int evict(uintptr_t at, unsigned device, uint64_t *brought)
{
	return evict(lib(), at, device, brought);
}

} // namespace het
