// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/host_writes.h"

#include "memory/body.h"
#include "memory/fragmented.h"
#include "memory/history.h"
#include "memory/noted_changes.h"

namespace het
{

namespace
{

uint64_t count_of(const array &a)
{
	return a.host_writes.load(std::memory_order_relaxed)->load(std::memory_order_acquire);
}

// No other copy is valid. In strict mode no kernel begins on the fast path, so there is none that enter() should mark
// the chunk for; and one that is just beginning, and takes the host's access away, has not written yet.
void own(array &a, chunk &ch)
{
	auto c = uint32_t(&ch - a.chunks);
	narrow_fast(a, host_copy);
	forget_fragments(a, c);
	note_unseen_write(a, c);
	note_change(a, c);
	if (a.context->strict)
		ch.valid = host_copy;
	else
		enter(a, ch, {host_copy, ch.host});
}

} // namespace

bool has_host_writes(const array &a)
{
	return a.host_writes_seen.load(std::memory_order_acquire) != count_of(a);
}

void take_in_host_writes(array &a)
{
	uint64_t now = count_of(a);
	if (a.host_writes_seen.load(std::memory_order_relaxed) == now)
		return;
	bool all = true;
	for (uint32_t c = 0; c < a.place.chunks; c++) {
		chunk &ch = a.chunks[c];
		if (ch.host != access::read || !a.context->catcher->was_written(pages_of(a, c, 1)))
			continue;
		if (ch.flags & chunk_busy) {
			all = false;
			continue;
		}
		own(a, ch);
		ch.host = access::write;
	}
	if (all)
		a.host_writes_seen.store(now, std::memory_order_release);
}

void take_in_found_writes(array &a, layout::span s)
{
	for (uint32_t c = s.first; c < s.last; c++) {
		if (a.chunks[c].host == access::read)
			own(a, a.chunks[c]);
	}
}

} // namespace het
