// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/budget_calls.h"

#include "core/linking.h"
#include "core/make_room.h"
#include "memory/evict.h"
#include "memory/whereabouts.h"
#include "os/log.h"

namespace het::rt
{

het_memory_info memory_of(het_device &d)
{
	const memory_account &a = d.memory.account;
	het_memory_info info = {};
	info.total = d.compute->info().memory;
	if (d.compute->is_in_place())
		return info;
	info.budget = a.budget();
	info.arrays = resident_bytes(d.memory_number);
	info.raw = a.used_as(memory_kind::raw);
	info.textures = a.used_as(memory_kind::textures);
	info.copies = a.used_as(memory_kind::twins) + a.used_as(memory_kind::stops) + lent_by(d);
	info.given = a.given.load();
	info.evicted = a.evicted.load();
	info.written_back = a.written_back.load();
	info.evictions = a.evictions.load();
	info.waits = a.refusals.load();
	info.slices = a.slices.load();
	info.windows = a.used_as(memory_kind::windows);
	info.sent = a.sent.load();
	info.brought = a.brought.load();
	info.in_place = a.moved.load();
	info.accesses_in_place = a.in_place.load();
	info.kept = a.used_as(memory_kind::kept);
	info.reused = a.reused.load();
	info.dirty = bytes_only_on(d.memory_number);
	info.away = d.kept.bytes_away();
	return info;
}

// The usual budget is what the library has and what is free besides.
int change_budget(het_device &d, uint64_t nbytes)
{
	if (d.compute->is_in_place())
		return fail(HET_ENODEV, "het_device_set_budget: %s works on the host's memory", d.compute->info().name);
	if (int err = start_memory())
		return err;
	{
		linking_guard g;
		uint64_t free = nbytes ? 0 : d.compute->free_memory(), used = used_on(d);
		free = free > no_limit - used ? no_limit : free + used;
		d.memory.account.set_limit(nbytes ? nbytes : bytes_of({}, d.compute->info().memory, free));
	}
	keep_scarce(d);
	{
		linking_guard g;
		keep_budget(d);
	}
	note_progress(); // there may be room now for who waits
	return 0;
}

} // namespace het::rt
