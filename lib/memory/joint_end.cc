// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/joint_end.h"

#include "memory/body.h"
#include "memory/chunks.h"
#include "memory/edges.h"
#include "memory/failure.h"
#include "memory/fragmented.h"
#include "memory/home.h"
#include "memory/host_writes.h"
#include "memory/lane.h"
#include "memory/lost_pages.h"
#include "memory/pending.h"
#include "memory/transfer.h"
#include "os/inject.h"
#include "os/log.h"
#include "os/pool.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace het
{

namespace
{

constexpr unsigned none = UINT_MAX, several = UINT_MAX - 1;
// So many bytes are merged at a time.
constexpr size_t window_size = 64 << 10;

} // namespace

joint_end::~joint_end()
{
	if (writers_)
		pool().release(writers_, room_ * sizeof(usage));
	if (staging_)
		pool().release(staging_, 2 * window_size);
}

// --- who has written what ------------------------------------------------------

int joint_end::gather()
{
	auto is_ours = [&](const bracket &b) { return b.joint != joint_kind::none && b.launch == launch_; };
	for (const bracket *b = a_.parts; b; b = b->next)
		room_ += is_ours(*b);
	writers_ = room_ ? pool_array<usage>(room_) : nullptr;
	if (room_ && !writers_)
		return fail(GPUVM_ESALLOC, "array %p: no memory to bring together what several devices have written",
			    a_.place.user.ptr());
	for (const bracket *b = a_.parts; b; b = b->next) {
		auto is_same = [&](const usage &u) {
			return u.device == b->device && u.part == b->part && u.joint == b->joint;
		};
		if (is_ours(*b) && std::none_of(writers_, writers_ + count_, is_same))
			writers_[count_++] = {b->device, b->part, false, b->joint, launch_};
	}
	return 0;
}

range joint_end::written(const usage &u, range bytes) const
{
	range r = intersect(u.part, bytes);
	return r.empty() || !notes_ ? r : notes_->written(u, r);
}

unsigned joint_end::only_writer(uint32_t c) const
{
	unsigned only = none;
	for (const usage &u : writers()) {
		if (u.device == only || written(u, a_.place.bytes_of(c)).empty())
			continue;
		if (only != none)
			return several;
		only = u.device;
	}
	return only;
}

bool joint_end::has_writer(uint32_t c) const
{
	auto has_it = [&](const usage &u) { return u.part.overlaps(a_.place.bytes_of(c)); };
	return std::any_of(writers_, writers_ + count_, has_it);
}

// What each has written is known, and nobody else has it.
bool joint_end::is_exact(uint32_t c) const
{
	auto is_noted = [&](const usage &u) {
		return u.joint == joint_kind::noted && u.part.overlaps(a_.place.bytes_of(c));
	};
	return std::none_of(writers_, writers_ + count_, is_noted);
}

// What differs from the host's bytes will be taken for written by another's kernels, so a device on which these are at
// work must not become the source of the host's.
bool joint_end::may_be_given(uint32_t c) const
{
	const bracket *b = a_.parts;
	while (b && !(b->joint == joint_kind::noted && b->launch != launch_ && b->part.overlaps(a_.place.bytes_of(c))))
		b = b->next;
	return !b;
}

// What several devices have written can't be told by first and last bytes.
bool joint_end::is_contested(range bytes) const
{
	for (size_t i = 0; i < count_ && notes_; i++) {
		range r = written(writers_[i], bytes);
		if (r.empty())
			continue;
		for (size_t j = 0; j < i; j++) {
			if (writers_[j].device != writers_[i].device && written(writers_[j], r).size())
				return true;
		}
	}
	return false;
}

// --- chunks --------------------------------------------------------------------

// Each device keeps what it has written, and nothing is copied. The host may have written beside them: what it has is
// valid as it is.
// *gather: there is no memory or room for it, or the host can't lose the chunk.
int joint_end::leave_in_fragments(uint32_t c, bool *gather)
{
	*gather = lower_access(a_, {c, c + 1}, access::none) != 0;
	if (*gather)
		return 0;
	for (const usage &u : writers()) {
		range r = intersect(u.part, a_.place.bytes_of(c));
		if (!r.empty() && !write_fragment(a_, c, r, u.device)) {
			*gather = true;
			return 0;
		}
	}
	if (!(a_.chunks[c].flags & chunk_failed))
		return 0;
	return has_lost_bytes(a_, c) ? fail_lost_pages(a_, c) : heal_chunk(a_, c);
}

// Gives the chunk to its only writer, unless the host or another launch has written, too; else it is to be gathered at
// home (*gather), where it belongs to nobody else then. In which nobody has written stays where it is.
int joint_end::choose_owner(uint32_t c, bool *gather)
{
	layout::span s = {c, c + 1};
	wait_until_idle(a_, g_, s);
	take_in_host_writes(a_);
	if (is_exact(c))
		return leave_in_fragments(c, gather);
	unsigned writer = only_writer(c);
	if (writer != none && writer != several && a_.chunks[c].state().device_valid(writer) && may_be_given(c))
		*gather = give_to_device(a_, s, writer) != 0;
	else
		*gather = writer != none;
	return 0;
}

int joint_end::end_chunks()
{
	int err = settle(a_, g_);
	layout::span run = {0, 0}; // to be gathered
	for (uint32_t c = 0; c < a_.place.chunks && !err; c++) {
		bool gather = false;
		if ((a_.chunks[c].flags & chunk_joint) && has_writer(c))
			err = choose_owner(c, &gather);
		if (!err && (!gather || run.last - run.first == runs_at_once)) {
			err = gather_chunks(run);
			run.first = run.last = c + !gather;
		}
		run.last += gather;
	}
	return err ? err : gather_chunks(run);
}

// Others may have bytes of the chunk: they were put in order before their arrays were made one. Their ends take the
// chunk from the host. So nobody gets a chunk between its arrival and that of what the writers have.
int joint_end::gather_chunks(layout::span s)
{
	int err = 0;
	while (s.first < s.last && !err) {
		err = bring_home(a_, g_, s, event::touch_write);
		layout::span now = {s.first, s.first};
		while (!err && now.last < s.last && is_at_home(now.last))
			now.last++;
		if (now.first == now.last)
			continue;
		leave_fast(a_);
		for (uint32_t c = now.first; c < now.last; c++)
			a_.chunks[c].flags |= chunk_busy;
		err = collect(now);
		release_chunks(a_, now.first, now.last - now.first);
		s.first = now.last;
	}
	return err;
}

// Not busy either.
bool joint_end::is_at_home(uint32_t c) const
{
	const chunk &ch = a_.chunks[c];
	return ch.state() == chunk_state{host_copy, access::write} && !(ch.flags & chunk_busy);
}

// Copies what the writers have written to the alias. The chunks are busy.
int joint_end::collect(layout::span s)
{
	int err = 0;
	for (size_t i = 0; i < count_ && !err; i++)
		err = collect_from(writers_[i], s);
	for (uint32_t c = s.first; c < s.last && !err; c++) {
		range r = a_.place.bytes_of(c);
		if (is_contested(r))
			err = merge(r, alias_of(a_, r.begin));
	}
	return err;
}

int joint_end::collect_from(const usage &u, layout::span s)
{
	transfer pieces[runs_at_once];
	size_t n = 0;
	for (uint32_t c = s.first; c < s.last; c++) {
		range bytes = a_.place.bytes_of(c), r = written(u, bytes);
		if (!r.empty() && !is_contested(bytes))
			pieces[n++] = piece_of(a_, u.device, r);
	}
	return n ? read(u.device, {pieces, n}) : 0;
}

// The lock is dropped meanwhile.
int joint_end::read(unsigned device, std::span<const transfer> pieces)
{
	size_t bytes = 0;
	for (const transfer &t : pieces)
		bytes += t.size;
	g_.unlock();
	delay_point();
	uint64_t started = start_of_copy(a_);
	int err;
	{
		lane_lease lane(*a_.context->lanes);
		err = a_.context->devices[device]->read(lane, pieces);
	}
	g_.lock();
	if (err)
		return GPUVM_EDEVALLOC;
	count_to_host(a_, bytes, started);
	return 0;
}

// --- bytes ---------------------------------------------------------------------

// All writers began with the host's bytes, so a byte that differs was written.
int joint_end::merge_window(range window, char *host)
{
	char *before = staging_, *after = staging_ + window_size;
	memcpy(before, host, window.size());
	for (const usage &u : writers()) {
		range r = written(u, window);
		if (r.empty())
			continue;
		void *devbuf = a_.links[u.device].devbuf.load(std::memory_order_relaxed);
		size_t at = r.begin - window.begin;
		const transfer piece = {devbuf, r.begin - a_.place.user.begin, after, r.size()};
		if (int err = read(u.device, {&piece, 1}))
			return err;
		for (size_t i = 0; i < r.size(); i++) {
			if (after[i] != before[at + i])
				host[at + i] = after[i];
		}
	}
	return 0;
}

int joint_end::merge(range bytes, char *host)
{
	if (!staging_)
		staging_ = pool_array<char>(2 * window_size);
	if (!staging_)
		return fail(GPUVM_ESALLOC, "array %p: no memory to bring together what several devices have written",
			    a_.place.user.ptr());
	int err = 0;
	while (!bytes.empty() && !err) {
		range window = {bytes.begin, std::min(bytes.end, bytes.begin + window_size)};
		err = merge_window(window, host);
		bytes.begin = window.end;
		host += window.size();
	}
	return err;
}

// No device has the edges of all writers then.
int joint_end::collect_edge(unsigned edge, range bytes)
{
	int err = 0;
	bool contested = is_contested(bytes), any = contested;
	if (contested)
		err = merge(bytes, static_cast<char *>(bytes.ptr()));
	for (size_t i = 0; i < count_ && !contested && !err; i++) {
		range r = written(writers_[i], bytes);
		if (r.empty())
			continue;
		any = true;
		err = edges_to_host(a_, g_, writers_[i].device, r);
	}
	if (any)
		a_.edges.valid[edge] = 0;
	return err;
}

// --- the end -------------------------------------------------------------------

// All brackets close at once: then it shows which chunks have joint writers still.
void joint_end::close()
{
	layout::span all = {UINT32_MAX, 0};
	for (bracket *b = a_.parts, *next; b; b = next) {
		next = b->next;
		if (b->joint == joint_kind::none || b->launch != launch_)
			continue;
		layout::span s = a_.place.chunks_of(b->part);
		all = {std::min(all.first, s.first), std::max(all.last, s.last)};
		close_bracket(a_, {b->device, b->part, false, b->joint, launch_});
	}
	for (uint32_t c = all.first; c < all.last; c++) {
		if ((a_.chunks[c].flags & chunk_joint) && !is_joint(a_, c))
			a_.chunks[c].flags &= uint8_t(~chunk_joint);
	}
	forget_writers(a_, all);
	announce_change(a_);
}

int joint_end::run()
{
	a_.context->expect_touch();
	int err = gather();
	if (!err)
		err = end_chunks();
	if (!err)
		err = collect_edge(0, a_.place.head);
	if (!err)
		err = collect_edge(1, a_.place.tail);
	close();
	return err;
}

} // namespace het
