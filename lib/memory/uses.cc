// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/uses.h"

#include "memory/brackets.h"
#include "memory/foresee.h"
#include "memory/hooks.h"
#include "memory/joint.h"
#include "memory/kernel.h"
#include "memory/library.h"
#include "memory/pin.h"
#include "memory/prefetch.h"

#include <algorithm>
#include <utility>

namespace het
{

namespace
{

// The caller holds the array's lock, as for all that takes an array here.
bool is_linked_on(const array &a, range r, unsigned device)
{
	return a.live && a.place.user.covers(r) && a.links[device].devbuf.load();
}

range with_edges(const array &a, range r)
{
	for (range edge : {a.place.head, a.place.tail}) {
		if (edge.overlaps(r))
			r = {std::min(r.begin, edge.begin), std::max(r.end, edge.end)};
	}
	return r;
}

// Returns what @f makes of the range, if it lies in one array.
template <typename F> range widen(range r, F f)
{
	array *a = is_linked(r.ptr(), r.size()) ? lib().arrays.first_overlap(r) : nullptr;
	if (!a)
		return r;
	caller_guard g(*a);
	return a->live && a->place.user.covers(r) ? f(*a, r) : r;
}

// The kernel would have to wait for chunks that come home behind another one.
bool would_wait_for_homecoming(const array &a, const usage &u, kernel_mode mode)
{
	layout::span s = a.place.chunks_of(u.part);
	for (uint32_t c = s.first; a.coming && c < s.last; c++) {
		const chunk &ch = a.chunks[c];
		bool may_read = (ch.flags & chunk_kept) && !writes(mode) && ch.state().device_valid(u.device);
		if ((ch.flags & chunk_coming) && !may_read)
			return true;
	}
	return false;
}

linked_array look_at(const array &a)
{
	linked_array s = {a.place.user, a.place.extent(), a.managed, a.from == origin::copied, false, 0};
	for (unsigned d = 0; d < lib().ndevs; d++) {
		s.open |= is_open(a, d);
		s.devices |= a.links[d].devbuf.load() ? device_copy(d) : 0; // array::linked is the structure lock's
	}
	return s;
}

} // namespace

// --- a use ---------------------------------------------------------------------

// The caller is a visitor, so the array can't be linked anew before the kernel has begun.
beginning kernel_use::begin(usage u, kernel_mode mode, range linked, bool comes_first, int *err)
{
	array *found = lib().arrays.find(u.part.begin);
	if (!found)
		return beginning::stale;
	array &a = *found;
	caller_guard g(a);
	visit v(a, g);
	if (!v || !is_linked_on(a, linked, u.device))
		return beginning::stale;
	// It was cut for other chunks: the caller cuts anew when it tries again.
	bool is_own = u.launch && u.joint == joint_kind::none && writes(mode);
	if (is_own && cut_for_joint(a, u.part).own != u.part)
		return beginning::must_wait;
	// Who is waiting to link it anew comes first, but for launches that are at work: what they have may be wanted
	// with it.
	if (a.wanted && !comes_first)
		return beginning::must_wait;
	u.whole = u.joint == joint_kind::none && u.part == a.place.user;
	if (conflicts(a, u) || would_wait_for_homecoming(a, u, mode))
		return beginning::must_wait;
	int e = begin_visited(a, g, u, mode);
	if (e == GPUVM_ESTATE)
		return beginning::must_wait;
	*err = e;
	if (e)
		return beginning::failed;
	array_ = &a;
	whole_ = u.whole;
	writes_ = writes(mode);
	copied_ = a.from == origin::copied;
	return beginning::done;
}

int kernel_use::begin_part(usage u, kernel_mode mode, range part)
{
	u.whole = whole_;
	return het::begin_part(*array_, u, mode, part);
}

int kernel_use::end(usage u, write_notes *notes)
{
	u.whole = whole_;
	u.ends = writes_ ? ending::writer : ending::reader;
	return end_kernel(*std::exchange(array_, nullptr), u, nullptr, notes);
}

int kernel_use::end(usage u, const bytes_soon &soon, homecoming *coming)
{
	u.whole = whole_;
	u.ends = writes_ ? ending::writer : ending::reader;
	coming->chunks_ = {};
	const homeward how = {.may = true, .soon = soon, .behind = &coming->chunks_};
	return end_kernel(*std::exchange(array_, nullptr), u, nullptr, nullptr, how);
}

void homecoming::finish()
{
	bring_foreseen(std::exchange(chunks_, {}));
}

void homecoming::bring_piece(const bytes_soon &soon)
{
	prefetch(&chunks_, soon);
}

void homecoming::drop()
{
	drop_foreseen(&chunks_);
}

int kernel_use::abandon(usage u, kernel_mode mode, bool ran)
{
	u.whole = whole_;
	return abandon_kernel(*std::exchange(array_, nullptr), u, mode, ran);
}

int kernel_use::end_joint(const void *launch, joint_notes *notes)
{
	return het::end_joint(*std::exchange(array_, nullptr), launch, notes);
}

// While the use is open neither place nor link changes.
void *kernel_use::buffer(uintptr_t at, unsigned device, size_t *offset) const
{
	*offset = at - array_->place.user.begin;
	return array_->links[device].devbuf.load(std::memory_order_relaxed);
}

range kernel_use::body_of(range r) const
{
	return intersect(r, array_->place.body);
}

void kernel_use::prepare_copies(unsigned other)
{
	caller_guard g(*array_);
	visit v(*array_, g);
	if (v)
		pin_body_for_good(*array_, g, other);
}

// What is no part of the body is in the buffer.
size_t kernel_use::find_places(range r, unsigned device, unsigned other, host_bytes (&places)[most_places]) const
{
	const array &a = *array_;
	char *buffer = static_cast<char *>(a.links[device].devbuf.load(std::memory_order_relaxed));
	size_t n = 0;
	for (range part : {a.place.head, a.place.body, a.place.tail}) {
		const range here = intersect(part, r);
		if (here.empty())
			continue;
		const bool in_body = part == a.place.body;
		places[n++] = {in_body ? alias_of(a, here.begin) : buffer + (here.begin - a.place.user.begin),
			       here.size(), in_body && is_pinned(a, other)};
	}
	return n;
}

// --- what is linked ------------------------------------------------------------

bool is_linked_on(range r, unsigned device)
{
	array *a = lib().arrays.first_overlap(r);
	if (!a)
		return false;
	caller_guard g(*a);
	return is_linked_on(*a, r, device);
}

range widen_to_edges(range r)
{
	return widen(r, with_edges);
}

// It may be another array when this returns; so it may with the lock.
bool is_plain_on(range r, unsigned device)
{
	range extent;
	array *a = lib().arrays.first_overlap(r, &extent);
	return a && extent.covers(r) && a->plain.load() && a->links[device].devbuf.load();
}

bool widen_linked_on(range *r, unsigned device)
{
	array *a = lib().arrays.first_overlap(*r);
	if (!a)
		return false;
	caller_guard g(*a);
	if (!is_linked_on(*a, *r, device))
		return false;
	*r = with_edges(*a, *r);
	return true;
}

range widen_for_joint(range r)
{
	return widen(r, [](const array &a, range bytes) { return widen_for_joint(a, bytes); });
}

joint_parts cut_for_joint(range r)
{
	if (array *a = lib().arrays.first_overlap(r)) {
		caller_guard g(*a);
		if (a->live && a->place.user.covers(r))
			return cut_for_joint(*a, r);
	}
	return {{}, r, {}};
}

// What the index had may be gone when its lock is there.
std::optional<linked_array> first_linked(range r, bool wanted)
{
	while (array *a = lib().arrays.first_overlap(r)) {
		caller_guard g(*a);
		if (!a->live || !a->place.extent().overlaps(r))
			continue;
		linked_array s = look_at(*a);
		a->wanted |= wanted && s.open;
		return s;
	}
	return {};
}

void want_no_more(range r)
{
	for (uintptr_t at = r.begin; at < r.end;) {
		array *a = lib().arrays.first_overlap({at, r.end});
		if (!a)
			return;
		caller_guard g(*a);
		if (!a->live || !a->place.extent().overlaps({at, r.end}))
			continue;
		a->wanted = false;
		at = a->place.extent().end;
	}
}

} // namespace het
