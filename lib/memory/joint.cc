// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/joint.h"

#include "memory/edges.h"
#include "memory/home.h"
#include "memory/host_writes.h"
#include "memory/kernel.h"
#include "memory/lane.h"
#include "memory/library.h"
#include "memory/pending.h"
#include "memory/resolver.h"
#include "memory/transfer.h"
#include "os/inject.h"
#include "os/log.h"

#include <algorithm>
#include <climits>

namespace het
{

namespace
{

// The chunk's own bytes.
range bytes_of_chunk(const array &a, uint32_t c)
{
	return intersect(a.place.chunk_range(c, 1), a.place.user);
}

constexpr unsigned none = UINT_MAX, several = UINT_MAX - 1;

// The device that alone writes jointly in the chunk.
unsigned only_writer(const array &a, uint32_t c)
{
	unsigned only = none;
	for (const bracket *b = a.parts; b; b = b->next) {
		if (!b->joint || !b->part.overlaps(bytes_of_chunk(a, c)))
			continue;
		if (only != none && only != b->device)
			return several;
		only = b->device;
	}
	return only;
}

bool has_writer_of(const array &a, uint32_t c, const void *owner)
{
	for (const bracket *b = a.parts; b; b = b->next) {
		if (b->joint && b->owner == owner && b->part.overlaps(bytes_of_chunk(a, c)))
			return true;
	}
	return false;
}

// Gives the chunk to its only writer, unless the host has written, too; else brings it home, where it belongs to nobody else then.
int choose_owner(array &a, array_guard &g, uint32_t c)
{
	layout::span s = {c, c + 1};
	wait_until_idle(a, g, s);
	take_in_host_writes(a);
	unsigned writer = only_writer(a, c);
	if (writer < several && a.chunks[c].state().device_valid(writer))
		return give_to_device(a, s, writer);
	return bring_home(a, g, s, event::touch_write);
}

// Copies what the writer has written in chunks that came home to the alias.
int collect(array &a, array_guard &g, const usage &u)
{
	layout::span s = a.place.chunks_of(u.part);
	transfer pieces[runs_at_once];
	for (uint32_t c = s.first; c < s.last;) {
		size_t n = 0, bytes = 0;
		for (; c < s.last && n < runs_at_once; c++) {
			range r = intersect(bytes_of_chunk(a, c), u.part);
			if (!a.chunks[c].state().host_valid() || r.empty())
				continue;
			pieces[n] = piece_of(a, u.device, c, 1);
			pieces[n].offset = r.begin - a.place.user.begin;
			pieces[n].host = alias_of(a, r.begin);
			bytes += pieces[n++].size = r.size();
		}
		if (!n)
			continue;
		g.unlock();
		delay_point();
		uint64_t started = start_of_copy();
		int err;
		{
			lane_lease lane;
			err = lib().devices[u.device]->read(lane, {pieces, n});
		}
		g.lock();
		if (err)
			return GPUVM_EDEVALLOC;
		count_to_host(bytes, started);
	}
	return 0;
}

// No device has the edges of all writers.
int collect_edges(array &a, array_guard &g, const usage &u)
{
	bool has[] = {a.place.head.overlaps(u.part), a.place.tail.overlaps(u.part)};
	if (!has[0] && !has[1])
		return 0;
	int err = edges_to_host(a, g, u.device, u.part);
	for (unsigned edge : {0, 1}) {
		if (has[edge])
			a.edges.valid[edge] = 0;
	}
	return err;
}

// The owner's first writer of which nothing was collected.
bracket *next_writer(const array &a, const void *owner)
{
	bracket *b = a.parts;
	while (b && !(b->joint && b->owner == owner && !b->collected))
		b = b->next;
	return b;
}

// All at once: then it shows which chunks have joint writers still.
void close_writers(array &a, const void *owner)
{
	layout::span all = {UINT32_MAX, 0};
	for (bracket *b = a.parts, *next; b; b = next) {
		next = b->next;
		if (!b->joint || b->owner != owner)
			continue;
		layout::span s = a.place.chunks_of(b->part);
		all = {std::min(all.first, s.first), std::max(all.last, s.last)};
		close_bracket(a, {b->device, b->part, false, true, owner});
	}
	for (uint32_t c = all.first; c < all.last; c++) {
		if ((a.chunks[c].flags & chunk_joint) && only_writer(a, c) == none)
			a.chunks[c].flags &= uint8_t(~chunk_joint);
	}
	forget_writers(a, all);
	announce_change(a);
}

// Boundaries between chunks and edges.
class boundaries
{
      public:
	explicit boundaries(const layout &l) : l_(l) {}

	// The first one from @at on.
	uintptr_t up(uintptr_t at) const
	{
		if (at <= l_.user.begin)
			return l_.user.begin;
		if (at <= l_.head.end)
			return l_.head.end;
		if (at > l_.tail.begin)
			return l_.user.end;
		return std::min(l_.body.begin + round_up(at - l_.body.begin, chunk()), l_.tail.begin);
	}
	// The last one up to @at.
	uintptr_t down(uintptr_t at) const
	{
		if (at >= l_.user.end)
			return l_.user.end;
		if (at >= l_.tail.begin)
			return l_.tail.begin;
		if (at < l_.head.end)
			return l_.user.begin;
		return std::max(l_.body.begin + round_down(at - l_.body.begin, chunk()), l_.user.begin);
	}

      private:
	size_t chunk() const { return size_t{1} << l_.chunk_shift; }
	const layout &l_;
};

} // namespace

joint_parts cut_for_joint(const array &a, range bytes)
{
	boundaries b(a.place);
	range own = {b.up(bytes.begin), b.down(bytes.end)};
	if (own.empty())
		return {bytes, {bytes.end, bytes.end}, {bytes.end, bytes.end}};
	return {{bytes.begin, own.begin}, own, {own.end, bytes.end}};
}

range widen_for_joint(const array &a, range bytes)
{
	boundaries b(a.place);
	return {b.down(bytes.begin), b.up(bytes.end)};
}

int end_joint(array &a, const void *owner)
{
	caller_guard g(a);
	visit v(a, g);
	if (!v)
		return fail(GPUVM_EHOSTPTR, "array %p was unlinked while kernels wrote there", a.place.user.ptr());
	expect_touch();
	int err = settle(a, g);
	for (uint32_t c = 0; c < a.place.chunks && !err; c++) {
		if ((a.chunks[c].flags & chunk_joint) && has_writer_of(a, c, owner))
			err = choose_owner(a, g, c);
	}
	while (bracket *b = err ? nullptr : next_writer(a, owner)) {
		b->collected = true;
		usage u = {b->device, b->part, false, true, owner};
		err = collect(a, g, u);
		if (!err)
			err = collect_edges(a, g, u);
	}
	close_writers(a, owner);
	return err;
}

} // namespace het
