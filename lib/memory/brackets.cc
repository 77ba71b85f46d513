// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/brackets.h"

#include "memory/context.h"
#include "os/log.h"
#include "os/pool.h"

#include <gpuvm.h>
#include <utility>

namespace het
{

namespace
{

constexpr uint64_t readers_of(uint64_t open)
{
	return open & (one_writer - 1);
}

constexpr uint64_t one_of(bool writing)
{
	return writing ? one_writer : one_reader;
}

// Both have bytes of one chunk, or of one edge.
bool meet(const array &a, range one, range other)
{
	layout::span s = a.place.chunks_of(one), t = a.place.chunks_of(other);
	auto both_in = [&](range edge) { return edge.overlaps(one) && edge.overlaps(other); };
	return (s.first < t.last && t.first < s.last) || both_in(a.place.head) || both_in(a.place.tail);
}

// Some kernel writes the whole array, or a part whose bracket @concerns wants.
template <typename F> bool is_written(const array &a, F concerns)
{
	for (unsigned d = 0; d < a.context->ndevs; d++) {
		if (a.links[d].open.load() >= one_writer)
			return true;
	}
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->writes && concerns(*b))
			return true;
	}
	return false;
}

bool is_in(const array &a, uint32_t c, range part)
{
	layout::span s = a.place.chunks_of(part);
	return s.first <= c && c < s.last;
}

bool is_part(const bracket &b, const usage &u)
{
	return b.device == u.device && b.part == u.part && b.joint == u.joint && b.launch == u.launch;
}

int open_part(array &a, const usage &u, bool writing)
{
	auto *b = pool_array<bracket>(1);
	if (!b)
		return fail(GPUVM_ESALLOC, "gpuvm_kernel_begin_range: out of memory");
	*b = {a.parts, u.part, uint8_t(u.device), writing, u.joint, false, false, u.launch, false};
	a.parts = b;
	return 0;
}

bool close_part(array &a, const usage &u, bool writing)
{
	for (bracket **p = &a.parts; *p; p = &(*p)->next) {
		bracket *b = *p;
		if (!is_part(*b, u) || b->writes != writing)
			continue;
		*p = b->next;
		pool().release(b, sizeof(*b));
		return true;
	}
	return false;
}

} // namespace

bool conflicts(const array &a, const usage &u)
{
	for (unsigned d = 0; d < a.context->ndevs; d++) {
		if (d != u.device && a.links[d].open.load() >= one_writer)
			return true;
	}
	// Another's kernel on the device, even a reader, may still be about to get whole chunks there.
	auto may_overwrite = [&](const bracket &b) {
		return u.joint != joint_kind::none && b.joint == joint_kind::none && b.device == u.device &&
		       b.launch != u.launch;
	};
	for (const bracket *b = a.parts; b; b = b->next) {
		bool other = b->joint != joint_kind::none ? !u.launch : b->device != u.device;
		if (((other && b->writes) || may_overwrite(*b)) && meet(a, b->part, u.part))
			return true;
	}
	return false;
}

int open_bracket(array &a, const usage &u, bool writing)
{
	if (conflicts(a, u))
		return a.managed ? GPUVM_ESTATE // the runtime tries again
				 : fail(GPUVM_ESTATE,
					"gpuvm_kernel_begin: another device is writing array %p; end its kernel first",
					a.place.user.ptr());
	if (!u.whole)
		return open_part(a, u, writing);
	open_whole(a.links[u.device], writing);
	return 0;
}

void undo_bracket(array &a, const usage &u, bool writing)
{
	if (u.whole)
		undo_whole(a.links[u.device], writing);
	else
		close_part(a, u, writing);
}

open_kernels look_at_bracket(const array &a, const usage &u)
{
	uint64_t open = a.links[u.device].open.load();
	const bool known = u.ends != ending::any, writer = u.ends == ending::writer;
	if (u.whole && known)
		return {(writer ? open / one_writer : readers_of(open)) > 0, writer};
	if (u.whole)
		return {open != 0, open >= one_writer};
	open_kernels found{false, writer};
	for (const bracket *b = a.parts; b; b = b->next) {
		if (!is_part(*b, u) || (known && b->writes != writer))
			continue;
		found.any = true;
		found.writer |= b->writes;
	}
	// A kernel on the whole array writes this part, too.
	found.writer |= !known && open >= one_writer;
	return found;
}

void close_bracket(array &a, const usage &u)
{
	if (u.ends != ending::any)
		undo_bracket(a, u, u.ends == ending::writer);
	else if (u.whole)
		close_whole(a.links[u.device]);
	else if (!close_part(a, u, false))
		close_part(a, u, true);
}

namespace
{

// Returns another writer's bracket, or null.
bracket *other_writer(array &a, const usage &u)
{
	bracket *first = nullptr;
	for (bracket *b = a.parts; b; b = b->next) {
		if (!b->writes || !is_part(*b, u))
			continue;
		if (first)
			return first;
		first = b;
	}
	return nullptr;
}

} // namespace

bool is_written_otherwise(const array &a, range r, const usage &u)
{
	if (!u.whole && a.links[u.device].open.load() >= one_writer)
		return true;
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->writes && b->device == u.device && b->part.overlaps(r) && !is_part(*b, u))
			return true;
	}
	return false;
}

bool pass_end_on(array &a, const usage &u)
{
	if (u.ends != ending::writer || u.joint != joint_kind::none)
		return false;
	if (u.whole) {
		link &l = a.links[u.device];
		bool is_last = l.open.load() / one_writer < 2;
		l.ends_for_others |= !is_last;
		return !is_last;
	}
	bracket *other = other_writer(a, u);
	for (bracket *b = a.parts; other && b; b = b->next)
		b->ends_for_others |= b->writes && is_part(*b, u);
	return other;
}

bool takes_passed_ends(array &a, const usage &u)
{
	if (u.whole) {
		link &l = a.links[u.device];
		return l.open.load() / one_writer < 2 && std::exchange(l.ends_for_others, false);
	}
	bool any = false;
	for (bracket *b = other_writer(a, u) ? nullptr : a.parts; b; b = b->next)
		any |= b->writes && is_part(*b, u) && std::exchange(b->ends_for_others, false);
	return any;
}

void drop_brackets(array &a)
{
	while (bracket *b = a.parts) {
		a.parts = b->next;
		pool().release(b, sizeof(*b));
	}
}

void note_arrival(array &a, const usage &u, bool only_copy)
{
	for (bracket *b = a.parts; b; b = b->next) {
		if (b->joint == joint_kind::none || !is_part(*b, u))
			continue;
		b->arrived = true;
		b->had_only_copy |= only_copy;
	}
	layout::span s = a.place.chunks_of(u.part);
	for (uint32_t c = s.first; c < s.last; c++)
		a.chunks[c].flags |= chunk_joint;
}

bool had_only_copy(const array &a, const usage &u)
{
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->had_only_copy && is_part(*b, u))
			return true;
	}
	return false;
}

bool has_joint_writer(const array &a, range edge, unsigned device)
{
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->arrived && b->device == device && b->part.overlaps(edge))
			return true;
	}
	return false;
}

range beside_writers(const array &a, range r, const usage &u, bool writing)
{
	uint64_t whole_writers = (a.links[u.device].open.load() / one_writer) - (u.whole && writing);
	if (whole_writers)
		return {r.end, r.end};
	unsigned same = 0;
	for (const bracket *b = a.parts; b; b = b->next)
		same += b->writes && is_part(*b, u);
	bool has_same = same > (writing && !u.whole);
	return beside(a, r, [&](const bracket &b) {
		return b.writes && b.device == u.device && (has_same || !is_part(b, u));
	});
}

bool has_noted_writer(const array &a, range chunk, unsigned device)
{
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->arrived && b->joint == joint_kind::noted && b->device == device && b->part.overlaps(chunk))
			return true;
	}
	return false;
}

bool is_joint(const array &a, uint32_t c)
{
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->joint != joint_kind::none && is_in(a, c, b->part))
			return true;
	}
	return false;
}

void open_whole(link &l, bool writing)
{
	l.open.fetch_add(one_of(writing));
}

// The count must not fall below zero: a stray end may have taken this for a kernel of its own.
void undo_whole(link &l, bool writing)
{
	uint64_t open = l.open.load();
	while ((writing ? open >= one_writer : readers_of(open)) &&
	       !l.open.compare_exchange_weak(open, open - one_of(writing)))
		;
}

bool close_whole(link &l)
{
	uint64_t open = l.open.load();
	while (open && !l.open.compare_exchange_weak(open, open - one_of(!readers_of(open))))
		;
	return open;
}

bool close_reader(link &l)
{
	uint64_t open = l.open.load();
	while (open && open < one_writer) {
		if (l.open.compare_exchange_weak(open, open - one_reader))
			return true;
	}
	return false;
}

bool being_written(const array &a, uint32_t c)
{
	return is_written(a, [&](const bracket &b) { return is_in(a, c, b.part); });
}

bool is_barred(const array &a, uint32_t c)
{
	return a.context->strict &&
	       is_written(a, [&](const bracket &b) { return b.joint == joint_kind::none && is_in(a, c, b.part); });
}

bool edge_being_written(const array &a, range edge)
{
	return is_written(a, [&](const bracket &b) { return edge.overlaps(b.part); });
}

bool is_open(const array &a, unsigned device)
{
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->device == device)
			return true;
	}
	return a.links[device].open.load() != 0;
}

bool any_writer(const array &a)
{
	return is_written(a, [](const bracket &) { return true; });
}

} // namespace het
