// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/make_room.h"

#include "core/kept_room.h"
#include "core/memory_error.h"
#include "core/pins.h"
#include "core/pooled_array.h"
#include "evict/victims.h"
#include "memory/buffers.h"
#include "memory/evict.h"
#include "os/inject.h"
#include "os/log.h"

#include <algorithm>
#include <gpuvm.h>

namespace het::rt
{

namespace
{

// The arrays that have buffers on a device, as candidates for leaving it. A touch may wait for who makes room.
struct tenants {
	pooled_array<tenant> list;
	size_t count = 0;

	std::span<tenant> all() const { return {list.get(), count}; }
	uint64_t idle_bytes() const
	{
		uint64_t n = 0;
		for (const tenant &t : all())
			n += t.is == tenant::idle ? t.nbytes : 0;
		return n;
	}
};

tenant as_tenant(const resident_array &a, const het_device &d, const demand &w)
{
	auto is_own = [&](range r) { return r.overlaps(a.user); };
	tenant t = {a.user.begin, a.user.size(), a.arrived, tenant::idle};
	if (std::any_of(w.own.begin(), w.own.end(), is_own))
		t.is = tenant::own;
	else if ((a.in_use && !is_mutant(mutant::evicts_used)) || is_pinned(a.user, d))
		t.is = tenant::in_use;
	return t;
}

// Nobody else gives buffers, so there are no more of them the second time.
bool list_tenants(const het_device &d, const demand &w, tenants &found)
{
	size_t room = find_residents(d.memory_number, {});
	pooled_array<resident_array> arrays;
	if (!arrays.allocate(room) || !found.list.allocate(room))
		return false;
	found.count = std::min(room, find_residents(d.memory_number, {arrays.get(), room}));
	for (size_t i = 0; i < found.count; i++)
		found.list[i] = as_tenant(arrays[i], d, w);
	return true;
}

outcome evict_one(het_device &d, const tenant &t, int *err)
{
	memory_account &account = d.memory.account;
	uint64_t brought = 0;
	int e = evict(t.at, d.memory_number, &brought);
	account.written_back.fetch_add(brought, std::memory_order_relaxed);
	if (e == GPUVM_ESTATE) // a kernel has begun to use it just now
		return outcome::no_room;
	*err = code_of(e);
	if (e)
		return outcome::failed;
	account.evictions.fetch_add(1, std::memory_order_relaxed);
	account.evicted.fetch_add(t.nbytes, std::memory_order_relaxed);
	return outcome::done;
}

// What others have in windows goes by itself, and so does what launches have that can be stopped, or what slices have
// left of arrays that are being written: all the rest of that has gone before anybody asks.
bool goes_by_itself(het_device &d, const demand &w)
{
	const memory_account &a = d.memory.account;
	return a.used_as(memory_kind::windows) > w.own_windows || a.used_as(memory_kind::stops) || d.kept.may_bring();
}

// Has so many bytes of buffers leave. too_large: there are not so many, and all that could leave has. *any tells
// whether something has.
outcome evict_bytes(het_device &d, uint64_t nbytes, const demand &w, bool *any, int *err)
{
	tenants found;
	if (!list_tenants(d, w, found)) {
		*err = fail(HET_ENOMEM, "%s: no memory to choose what leaves it", d.compute->info().name);
		return outcome::failed;
	}
	const bool some_goes = goes_by_itself(d, w);
	if (!w.may_evict) { // now; but if there is nothing that could leave, there is nothing to wait for either
		bool none = choose_victims(found.all(), 1).what == room::impossible && !some_goes;
		return none ? outcome::too_large : outcome::must_wait;
	}
	victims v = choose_victims(found.all(), nbytes);
	const bool is_later = v.what == room::must_wait || (v.what == room::impossible && some_goes);
	if (is_later && !w.takes_less)
		return outcome::no_room;
	bool all_idle = v.what != room::enough;
	if (all_idle)
		v = choose_victims(found.all(), found.idle_bytes());
	for (size_t i = 0; i < v.count; i++) {
		outcome o = evict_one(d, found.list[i], err);
		if (o != outcome::done)
			return o;
		*any = true;
		delay_point();
	}
	return all_idle ? outcome::too_large : outcome::done;
}

// Null before there are frames. They need this file for their memory, so it does not need them.
constinit std::atomic<bool (*)(het_device &)> idle_frames_dropper{nullptr};

// What is kept for launches to come goes before arrays do: so many bytes of copies of the host's, and all of the rest.
// Returns whether there was any.
bool clear_spares(het_device &d, uint64_t nbytes)
{
	bool any = d.twins.clear();
	any |= d.clear_stops();
	if (auto *drop = idle_frames_dropper.load())
		any |= drop(d);
	return give_back_kept(d, nbytes) || any;
}

} // namespace

void drop_idle_frames_by(bool (*drop)(het_device &))
{
	idle_frames_dropper.store(drop);
}

uint64_t used_on(const het_device &d)
{
	return resident_bytes(d.memory_number) + d.memory.account.beside_buffers() + lent_by(d);
}

uint64_t lent_by(const het_device &d)
{
	return core().memory_started.load() ? lent_bytes(d.memory_number) : 0;
}

void keep_scarce(het_device &d)
{
	constexpr uint64_t little = 16;
	if (lent_bytes(d.memory_number) > d.memory.account.budget() / little)
		keep_memory(d.memory_number);
}

uint64_t had_by_others(const het_device &d)
{
	tenants found;
	if (!list_tenants(d, {}, found))
		return 0;
	const memory_account &a = d.memory.account;
	uint64_t n = a.used_as(memory_kind::windows) + a.used_as(memory_kind::stops);
	for (const tenant &t : found.all())
		n += t.is == tenant::in_use ? t.nbytes : 0;
	return n;
}

outcome make_room(het_device &d, uint64_t nbytes, const demand &w, int *err)
{
	bool any = false;
	for (;;) {
		uint64_t used = used_on(d), budget = d.memory.account.budget();
		if (used <= budget && nbytes <= budget - used)
			return outcome::done;
		if (clear_spares(d, used + nbytes - budget))
			continue;
		if (!w.may_evict)
			return outcome::must_wait;
		outcome o = evict_bytes(d, used + nbytes - budget, w, &any, err);
		if (o == outcome::too_large)
			return outcome::done;
		if (o != outcome::done)
			return o;
	}
}

outcome allocate_buffer(het_device &d, size_t nbytes, const demand &w, void **buffer, int *err, uint64_t counted)
{
	memory_account &account = d.memory.account;
	uint64_t full = 0;
	while ((*err = d.compute->allocate(nbytes, buffer)) == no_device_memory) {
		*err = 0;
		full = full ? full : used_on(d) - counted;
		bool any = clear_spares(d, nbytes);
		outcome o = any ? outcome::done : evict_bytes(d, nbytes, w, &any, err);
		if (o == outcome::done || (o == outcome::too_large && any))
			continue;
		if (o != outcome::too_large)
			return o;
		*err = fail(HET_EDEVICE,
			    "%s: its driver has no memory for %zu bytes, and nothing that could leave it for them; the "
			    "library uses %llu bytes there",
			    d.compute->info().name, nbytes, static_cast<unsigned long long>(used_on(d)));
		return outcome::too_large;
	}
	if (*err)
		return outcome::failed;
	uint64_t now = used_on(d) - counted + nbytes;
	if (full)
		account.note_shortage(full, now);
	account.note_use(now);
	return outcome::done;
}

void keep_budget(het_device &d, std::span<const range> own)
{
	int err = 0;
	bool any = false;
	d.memory.is_over.store(false);
	uint64_t budget = d.memory.account.budget();
	uint64_t used = used_on(d);
	if (used > budget)
		clear_spares(d, used - budget);
	used = used_on(d);
	if (used > budget &&
	    evict_bytes(d, used - budget, {.own = own, .takes_less = true}, &any, &err) != outcome::done)
		d.memory.is_over.store(true);
}

} // namespace het::rt
