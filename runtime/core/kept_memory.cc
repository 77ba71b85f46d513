// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/kept_memory.h"

#include "core/frame_copies.h"
#include "core/linking.h"
#include "core/make_room.h"
#include "memory/buffers.h"
#include "os/inject.h"
#include "os/log.h"

#include <algorithm>

namespace het::rt
{

namespace
{

// So much of the budget is left to others: what can be stopped needs memory for that, and small arrays come and go.
constexpr uint64_t part_of_others = 16;

uint64_t free_for_kept(const het_device &d)
{
	const uint64_t budget = d.memory.account.budget(), used = used_on(d) + budget / part_of_others;
	return budget > used ? budget - used : 0;
}

} // namespace

// --- memory --------------------------------------------------------------------

// Without a budget there is no saying what is free. What the driver refuses is left to others.
void grow_kept(het_device &d, uint64_t wanted)
{
	memory_account &a = d.memory.account;
	while (a.used_as(memory_kind::kept) < wanted && a.budget() != no_limit && d.memory.line.is_empty()) {
		linking_guard g;
		const uint64_t nbytes = d.kept.arena_bytes(a.budget());
		void *buffer = nullptr;
		if (!nbytes || nbytes > free_for_kept(d) || d.compute->allocate(nbytes, &buffer))
			return;
		if (!d.kept.add_arena(buffer, nbytes)) {
			d.compute->drop(buffer);
			return;
		}
		a.add(memory_kind::kept, nbytes);
	}
}

// --- what is no longer so ------------------------------------------------------

uintptr_t place_in_host_memory(const range_use &u, uintptr_t *buffer)
{
	size_t offset = 0;
	const auto at =
		reinterpret_cast<uintptr_t>(u.on.buffer(u.bytes.begin, core().host_memory->memory_number, &offset));
	if (buffer)
		*buffer = at;
	return at + offset;
}

void forget_kept_of(const range_use &u, range bytes, const het_device *but)
{
	const uintptr_t to_key = place_in_host_memory(u) - u.bytes.begin;
	forget_kept({bytes.begin + to_key, bytes.end + to_key}, but);
}

// --- windows -------------------------------------------------------------------

kept_window::kept_window(het_device &d, void *buffer, uintptr_t first, const range_use &u)
    : device_(d), buffer_(buffer), use_(u), to_key_(place_in_host_memory(u, &array_) - u.bytes.begin),
      first_(first + to_key_)
{
}

bool kept_window::copy(const kept_part &p, bool to_block)
{
	const place_in_buffer window = {device_.memory_number, buffer_, p.bytes.begin - first_},
			      block = {device_.memory_number, p.buffer, size_t(p.offset)};
	delay_point();
	return !copy_buffer(to_block ? block : window, to_block ? window : block, p.bytes.size());
}

// What can't be copied comes from the host, if that has it; what is behind that may be here alone.
int kept_window::copy_first(range bytes, range *had)
{
	kept_part p;
	if (!device_.kept.find(key_of(bytes), p))
		return 0;
	const bool ok = p.buffer && copy(p, false);
	device_.kept.let_go(p);
	*had = {p.bytes.begin - to_key_, p.bytes.end - to_key_};
	if (!ok && p.only_copy)
		return fail(HET_EDEVICE, "%s can't copy what a slice has left there", device_.compute->info().name);
	if (!ok) {
		had->begin = had->end;
		return 0;
	}
	device_.repeated.note_used(array_, p.bytes.size());
	device_.memory.account.reused.fetch_add(p.bytes.size(), std::memory_order_relaxed);
	reused_ += p.bytes.size();
	return 0;
}

// The block has to have these bytes, as what is on both sides of them can't be brought home now.
bool kept_window::copy_by_host(const kept_part &p)
{
	const range bytes = {p.bytes.begin - to_key_, p.bytes.end - to_key_};
	frame_copies home(device_, true), back(device_, false);
	return !home.add(buffer_, p.bytes.begin - first_, bytes, use_) && !home.flush() &&
	       !back.add(p.buffer, p.offset, bytes, use_) && !back.flush();
}

bool kept_window::leave_first(range bytes, bool only_again, range *first, int *err)
{
	host_bytes places[most_places];
	use_.on.find_places(bytes, core().host_memory->memory_number, device_.memory_number, places);
	kept_part p;
	overwriting o;
	for (;;) {
		const uint32_t seen = device_.kept.fills();
		o = device_.kept.begin_overwrite(key_of(bytes), 0 - to_key_, places[0].pinned, only_again, p);
		if (o != overwriting::later)
			break;
		finish(false); // it may be one of these that is waited for
		device_.kept.wait_for_fill(seen);
	}
	*first = {p.bytes.begin - to_key_, p.bytes.end - to_key_};
	if (o == overwriting::refused)
		return false;
	const bool ok = copy(p, true) || (p.only_copy && copy_by_host(p));
	if (!ok && p.only_copy)
		*err = fail(HET_EDEVICE, "%s can't copy what a slice has written there", device_.compute->info().name);
	if (!device_.kept.end_overwrite(p, ok))
		return false;
	device_.repeated.note_away(array_, p.bytes.size());
	left_ += p.bytes.size();
	return true;
}

void kept_window::keep(range bytes)
{
	for (range keys = key_of(bytes); !keys.empty();) {
		kept_part p;
		const bool ok = device_.kept.begin_fill(keys, p) && count_ < most;
		if (ok)
			parts_[count_++] = p;
		else if (p.buffer)
			device_.kept.end_fill(p, false);
		keys.begin = p.bytes.end;
	}
}

void kept_window::finish(bool ok)
{
	for (const kept_part &p : std::span(parts_, count_)) {
		const bool kept = ok && copy(p, true);
		device_.kept.end_fill(p, kept);
		device_.repeated.note_kept(array_, kept ? p.bytes.size() : 0);
	}
	count_ = 0;
}

} // namespace het::rt
