// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/changes.h"

#include "memory/hooks.h"
#include "memory/host_writes.h"
#include "memory/library.h"
#include "memory/noted_changes.h"

#include <algorithm>

namespace het
{

namespace
{

bool is_unchanged(const array &a, const array_changes &n, uint32_t c, uint32_t moment)
{
	constexpr uint8_t unknown = chunk_busy | chunk_failed | chunk_joint | chunk_fragmented;
	const chunk &ch = a.chunks[c];
	return n.chunks[c] <= moment && ch.host != access::write && !(ch.flags & unknown);
}

} // namespace

uint32_t take_moment()
{
	return next_moment.fetch_add(1);
}

uintptr_t unchanged_until(array &a, range r, uint32_t moment)
{
	const array_changes *n = a.changes.load(std::memory_order_relaxed);
	if (!a.live || a.held || a.pending || !n || !a.place.body.contains(r.begin))
		return r.begin;
	take_in_host_writes(a);
	if (n->whole.load(std::memory_order_relaxed) > moment)
		return r.begin;
	const layout::span s = a.place.chunks_of(r);
	uint32_t c = s.first;
	while (c < s.last && is_unchanged(a, *n, c, moment))
		c++;
	return c == s.first ? r.begin : std::min(r.end, a.place.chunk_range(s.first, c - s.first).end);
}

void watch_changes(range r, uint32_t moment)
{
	while (!r.empty() && is_linked(r.ptr(), r.size())) {
		array *a = lib().arrays.first_overlap(r);
		if (!a)
			return;
		caller_guard g(*a);
		const range here = intersect(a->place.user, r);
		if (here.empty())
			return;
		watch_changes(*a, moment);
		r.begin = here.end;
	}
}

uintptr_t unchanged_until(range r, uint32_t moment)
{
	uintptr_t at = r.begin;
	while (at < r.end && anything_linked()) {
		array *a = lib().arrays.find(at);
		if (!a)
			break;
		caller_guard g(*a);
		const uintptr_t end = unchanged_until(*a, {at, r.end}, moment);
		if (end == at)
			break;
		at = end;
	}
	return at;
}

} // namespace het
