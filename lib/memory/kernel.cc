// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/kernel.h"

#include "memory/brackets.h"
#include "memory/bring.h"
#include "memory/chunks.h"
#include "memory/context.h"
#include "memory/edges.h"
#include "memory/exact.h"
#include "memory/failure.h"
#include "memory/foresee.h"
#include "memory/fragmented.h"
#include "memory/home.h"
#include "memory/host_writes.h"
#include "memory/lane.h"
#include "memory/noted_changes.h"
#include "memory/pending.h"
#include "memory/pin.h"
#include "memory/rewrites.h"
#include "memory/send_ahead.h"
#include "memory/transfer.h"
#include "os/log.h"

#include <utility>

namespace het
{

namespace
{

int no_array(const char *call, range part)
{
	return fail(GPUVM_EHOSTPTR, "%s: %p points into no linked array", call, part.ptr());
}

// ---- begin -------------------------------------------------------------------------------------------

// Chunks that a write-only kernel does not cover must arrive whole all the same.
int bring_partial_chunks(array &a, array_guard &g, layout::span s, const usage &u)
{
	auto bring = [&](uint32_t c) {
		return u.part.covers(a.place.bytes_of(c))
			       ? 0
			       : bring_to_device(a, g, {c, c + 1}, event::begin_write, u, true);
	};
	int err = s.first < s.last ? bring(s.first) : 0;
	return !err && s.last - s.first > 1 ? bring(s.last - 1) : err;
}

// The device's copy is about to be overwritten: nothing may be on its way there, or be sent there later.
void leave_to_writer(array &a, array_guard &g, layout::span s, unsigned device)
{
	for (uint32_t c = s.first; c < s.last; c++) {
		wait_until_idle(a, g, {c, c + 1});
		a.chunks[c].writer = uint8_t(1 + device);
	}
}

// Returns those of the kernel's chunks whose bytes are all its own.
layout::span own_chunks(const array &a, const usage &u, layout::span s)
{
	auto is_shared = [&](uint32_t c) { return !u.part.covers(a.place.bytes_of(c)); };
	if (s.first >= s.last)
		return {s.last, s.last};
	layout::span own = s;
	if (is_shared(own.first))
		own.first++;
	if (own.first < own.last && is_shared(own.last - 1))
		own.last--;
	return own;
}

// At a strict begin the host loses the chunks before anything is copied, so no write of its can be lost.
int revoke_before_begin(array &a, array_guard &g, const usage &u)
{
	layout::span s = a.place.chunks_of(u.part), kept = {s.last, s.last};
	if (u.promised)
		kept = own_chunks(a, u, s); // it was promised that the host does not touch them
	int err = 0;
	for (layout::span taken : {layout::span{s.first, kept.first}, layout::span{kept.last, s.last}}) {
		wait_until_idle(a, g, taken);
		a.fast.store(0);
		if (int e = lower_access(a, taken, access::none))
			err = e;
	}
	return err;
}

// A copy that is brought for a writer counts at its end, when the chunk is its device's alone; but if the chunk may
// turn out not to be written, its copy must count by itself, as a reader's does.
event arrival(kernel_mode mode)
{
	return mode == kernel_mode::read_write ? event::begin_write : event::begin_read;
}

int make_chunks_valid(array &a, array_guard &g, const usage &u, kernel_mode mode)
{
	layout::span s = a.place.chunks_of(u.part);
	if (mode == kernel_mode::read_only && u.launch)
		return bring_exact(a, g, u);
	if (mode == kernel_mode::read_only)
		return bring_to_device(a, g, s, event::begin_read, u, false,
				       u.by_parts ? nullptr : expect_rewrites(a, u));
	if (mode != kernel_mode::write_only)
		return bring_to_device(a, g, s, arrival(mode), u, true);
	if (int err = bring_partial_chunks(a, g, s, u))
		return err;
	leave_to_writer(a, g, s, u.device);
	return 0;
}

// No chunk or edge will be a joint writer's alone.
int make_valid_for_joint(array &a, array_guard &g, const usage &u, kernel_mode mode)
{
	layout::span s = a.place.chunks_of(u.part);
	bool only_copy = false;
	int err = 0;
	if (u.joint == joint_kind::noted) {
		// Others get it from there, and not from a device that is writing in it.
		err = bring_home(a, g, s, event::fetch);
		if (!err)
			err = bring_exact(a, g, u);
	} else if (mode != kernel_mode::write_only) {
		err = bring_for_exact_writer(a, g, u, &only_copy);
	}
	if (!err)
		err = edges_to_device(a, g, u, false);
	if (!err)
		note_arrival(a, u, only_copy);
	return err;
}

// The end of a kernel on other bytes reads its edges, while this one would be writing there.
bool would_tear_edges(const array &a, const usage &u)
{
	for (range edge : {a.place.head, a.place.tail}) {
		range bytes = intersect(edge, u.part);
		if (!bytes.empty() && is_written_otherwise(a, bytes, u))
			return true;
	}
	return false;
}

// A kernel behind others begins as it is, or not at all. This is found out before anything is taken from the host.
bool must_wait_for_others(array &a, const usage &u, kernel_mode mode)
{
	if (!u.behind)
		return false;
	take_in_host_writes(a);
	layout::span s = a.place.chunks_of(u.part);
	bool is_covered = s.first < s.last && u.part.covers(a.place.chunk_range(s.first, s.last - s.first));
	if (mode == kernel_mode::write_only && is_covered)
		s.last = s.first;
	return a.sent.target || would_travel(a, s, arrival(mode), u.device) || (writes(mode) && would_tear_edges(a, u));
}

int take_and_make_valid(array &a, array_guard &g, const usage &u, kernel_mode mode)
{
	int err = a.context->strict && writes(mode) ? revoke_before_begin(a, g, u) : 0;
	if (err)
		return err;
	return u.joint != joint_kind::none ? make_valid_for_joint(a, g, u, mode) : make_chunks_valid(a, g, u, mode);
}

int begin_chunks(array &a, array_guard &g, usage u, kernel_mode mode, layout::span s)
{
	if (s.first >= s.last)
		return 0;
	u.part = intersect(u.part, a.place.chunk_range(s.first, s.last - s.first));
	return take_and_make_valid(a, g, u, mode);
}

// Others may come to write their bytes of these chunks, on other devices, while a reader is open: so it has them
// before.
int begin_shared_chunks(array &a, array_guard &g, const usage &u, kernel_mode mode)
{
	const layout::span s = a.place.chunks_of(u.part), own = own_chunks(a, u, s);
	const int err = begin_chunks(a, g, u, mode, {s.first, own.first});
	return err ? err : begin_chunks(a, g, u, mode, {own.last, s.last});
}

int make_valid(array &a, array_guard &g, const usage &u, kernel_mode mode)
{
	int err = (u.by_parts ? begin_shared_chunks : take_and_make_valid)(a, g, u, mode);
	if (err || u.joint != joint_kind::none)
		return err;
	if (mode != kernel_mode::write_only || !u.whole)
		return edges_to_device(a, g, u, writes(mode));
	leave_edges_to_writer(a, g, u.device);
	return 0;
}

bool may_be_fast(const array &a)
{
	return a.chunks && !a.place.has_edges() && !a.parts && !a.fragmented && !a.pending && !a.context->strict;
}

bool all_valid(const array &a, unsigned device)
{
	for (uint32_t c = 0; c < a.place.chunks; c++) {
		if (!a.chunks[c].state().device_valid(device))
			return false;
	}
	return true;
}

// A writer must be the only one whom the hint lets pass: another device's could do so at the same time.
bool is_hinted(const array &a, unsigned device, kernel_mode mode)
{
	if (has_host_writes(a))
		return false;
	copyset devices = a.fast.load() & ~host_copy;
	return writes(mode) ? devices == device_copy(device) : (devices & device_copy(device)) != 0;
}

bool begin_fast(array &a, unsigned device, kernel_mode mode)
{
	if (!is_hinted(a, device, mode))
		return false;
	open_whole(a.links[device], writes(mode));
	// Another begin clears the hint first and looks for open kernels then; so one of us sees the other.
	if (is_hinted(a, device, mode)) {
		if (mode != kernel_mode::write_only)
			a.context->stats.kept_bytes.add(a.place.user.size());
		if (mode == kernel_mode::read_only && a.context->foresight != foresight_kind::off)
			note_unseen_begin(a);
		return true;
	}
	undo_whole(a.links[device], writes(mode));
	return false;
}

// ---- end ---------------------------------------------------------------------------------------------

// Lets those try again who were turned away because a kernel was writing, which is in strict mode. They may have
// touched another chunk than it wrote: see show_whole().
void wake_awaited(array &a)
{
	for (uint32_t c = 0; a.context->strict && c < a.place.chunks; c++) {
		if ((a.chunks[c].flags & (chunk_awaited | chunk_busy)) == chunk_awaited)
			release_chunks(a, c, 1);
	}
	announce_change(a);
}

// It goes on after an error.
int give_written(array &a, const usage &u, write_notes &notes)
{
	layout::span s = a.place.chunks_of(u.part);
	auto is_written = [&](uint32_t c) {
		range bytes = intersect(a.place.chunk_range(c, 1), u.part);
		return !bytes.empty() && notes.wrote(bytes);
	};
	int err = 0;
	for (uint32_t c = s.first; c < s.last; c++) {
		uint32_t first = c;
		while (c < s.last && is_written(c))
			c++;
		int e = c > first ? give_to_device(a, {first, c}, u.device) : 0;
		if (e)
			err = e;
	}
	return err;
}

// Nobody asks again for a command of the runtime that fails: what it was to write is lost, and the host may write anew.
int end_edges(array &a, array_guard &g, const usage &u, bool *ended)
{
	if (a.managed)
		return edges_to_host(a, g, u.device, u.part);
	bool owed;
	int err = edges_of_ended(a, g, u.device, u.part, &owed);
	*ended = !err || owed;
	return err;
}

// Chunks that can't be taken from the host, as the process may have no more mappings, stay its own, with what the
// kernel has written. The kernel has finished.
int read_back(array &a, array_guard &g, layout::span s, unsigned device)
{
	int err = 0;
	for (uint32_t c = s.first; c < s.last && !err; c++) {
		wait_until_idle(a, g, {c, c + 1});
		chunk &ch = a.chunks[c];
		bool given = ch.writer == 1 + device || ch.state().device_valid(device);
		if (!given || ch.host == access::none)
			continue;
		leave_fast(a);
		ch.flags |= chunk_busy;
		g.unlock();
		const chunk_run run = run_home(c, 1, uint8_t(1 + device));
		err = copy_to_host(a, {&run, 1}, any_lane);
		g.lock();
		if (!err)
			enter(a, ch, {host_copy, ch.host});
		release_chunks(a, c, 1);
	}
	return err;
}

// Takes *pending, if there is one. *ended is false if all of it must be repeated.
int end_writer(array &a, array_guard &g, const usage &u, pending_kernel **pending, write_notes *notes, homeward how,
	       bool *ended)
{
	layout::span s = a.place.chunks_of(u.part);
	int err = wait_until_quiet(a, g, s);
	if (!notes)
		note_change(a, s);
	how.may &= u.joint == joint_kind::none;
	bool all_given = !(notes ? give_written(a, u, *notes) : give_or_foresee(a, g, u, how));
	if (*pending) {
		(*pending)->writes = true;
		(*pending)->is_watched = how.behind->in != nullptr;
		a.pending = std::exchange(*pending, nullptr);
	} else if (int e = end_edges(a, g, u, ended)) {
		err = e;
	}
	if (all_given)
		return err;
	int e = settle(a, g);
	if (!e)
		e = read_back(a, g, s, u.device);
	return e ? e : err;
}

// A reader that is still at work must not have its copy overwritten: later begins wait for the event.
int end_reader(array &a, array_guard &g, pending_kernel **pending)
{
	if (!*pending)
		return 0;
	int err = settle(a, g);
	a.fast.store(0);
	a.pending = std::exchange(*pending, nullptr);
	return err;
}

// Returns array::fast as the chunks are.
copyset hint_for(const array &a, unsigned device)
{
	copyset hint = device_copy(device) | host_copy;
	for (uint32_t c = 0; c < a.place.chunks; c++) {
		if (!a.chunks[c].state().device_valid(device))
			return 0;
		if (a.chunks[c].valid != device_copy(device))
			hint = device_copy(device);
	}
	return hint;
}

// Does what was left to this kernel's end, which will not come. Returns 0, GPUVM_EPROT or GPUVM_EDEVALLOC.
int end_for_others(array &a, array_guard &g, const usage &u, kernel_mode mode)
{
	if (!writes(mode) || !takes_passed_ends(a, u))
		return 0;
	pending_kernel *none = nullptr;
	bool ended;
	return end_writer(a, g, u, &none, nullptr, {}, &ended);
}

void abandon_locked(array &a, const usage &u, kernel_mode mode)
{
	layout::span s = a.place.chunks_of(u.part);
	undo_bracket(a, u, writes(mode));
	forget_writers(a, s);
	wake_awaited(a);
}

// Returns 0, or GPUVM_EDEVALLOC if bytes had no other copy.
int drop_copies(array &a, range part, unsigned device)
{
	layout::span s = a.place.chunks_of(part);
	int err = 0;
	for (uint32_t c = s.first; c < s.last; c++) {
		if (!drop_copy(a, c, part, device))
			err = GPUVM_EDEVALLOC;
	}
	return err;
}

int end_locked(array &a, const usage &u, pending_kernel **pending, write_notes *notes, const homeward &how)
{
	caller_guard g(a);
	visit v(a, g);
	if (!v)
		return no_array("gpuvm_kernel_end", u.part);
	layout::span s = a.place.chunks_of(u.part);
	if (*pending && a.place.has_edges())
		return fail(GPUVM_ESTATE,
			    "gpuvm_kernel_end_event: array %p has edges, which can't be copied back later; align it to "
			    "pages or use gpuvm_malloc()",
			    a.place.user.ptr());
	// This is all that is left of an end that has failed; it comes before those of kernels that are at work.
	if (is_owed(a, u.device, u.part))
		return collect_edges(a, g, device_copy(u.device));
	// The bracket stays open until the host has lost the chunks: in strict mode it keeps touches waiting.
	open_kernels open = look_at_bracket(a, u);
	if (!open.any)
		return fail(GPUVM_ESTATE, "gpuvm_kernel_end: no kernel on device %u has begun to use array %p",
			    u.device, a.place.user.ptr());
	// Until the next one of the same bytes has ended nobody has a use for what this one has written: it takes no
	// pages, no edges come home, and nothing is learned.
	if (open.writer && !*pending && !notes && pass_end_on(a, u)) {
		a.queued_ends++;
		close_bracket(a, u);
		return 0;
	}
	if (open.writer) {
		(void)takes_passed_ends(a, u); // this end does what they left to it
		// It is done now, and not when all is done: who is woken takes a while to come.
		a.context->expect_touch();
	}
	bool ended = true;
	int err = open.writer ? end_writer(a, g, u, pending, notes, how, &ended) : end_reader(a, g, pending);
	if (!ended)
		return err;
	close_bracket(a, u);
	forget_writers(a, s);
	// While a kernel writes, chunks may be marked, and its end has to look.
	if (open.writer && u.whole && may_be_fast(a) && !any_writer(a))
		a.fast.store(hint_for(a, u.device));
	wake_awaited(a);
	return err;
}

// Nobody waits for its bytes: the pages are taken, and what is foreseen comes home when the event has come about.
int end_by_event(array &a, const usage &u, pending_kernel *pending)
{
	foreseen_chunks behind;
	pending_kernel *const kernel = pending;
	int err = end_locked(a, u, &pending, nullptr, {.may = true, .behind = &behind});
	if (behind.in)
		a.context->events.add(behind, kernel);
	if (pending)
		drop_pending(*a.context, pending);
	return err;
}

} // namespace

int begin_kernel(array &a, const usage &u, kernel_mode mode)
{
	if (u.whole && begin_fast(a, u.device, mode))
		return 0;
	caller_guard g(a);
	visit v(a, g);
	if (!v)
		return no_array("gpuvm_kernel_begin", u.part);
	if (!a.links[u.device].devbuf.load())
		return fail(GPUVM_ENOLINK, "gpuvm_kernel_begin: array %p is not linked on device %u", u.part.ptr(),
			    u.device);
	return begin_visited(a, g, u, mode);
}

int begin_visited(array &a, array_guard &g, const usage &u, kernel_mode mode)
{
	if (a.context->strict && writes(mode) && a.place.has_edges() && !a.managed)
		return fail(GPUVM_ESTATE,
			    "gpuvm_kernel_begin: array %p has edges, which strict mode can't watch; align it to pages "
			    "or use gpuvm_malloc()",
			    a.place.user.ptr());
	if (must_wait_for_others(a, u, mode))
		return GPUVM_ESTATE;
	pin_body(a, g, u.device);
	int err = settle(a, g);
	// It is done while no bracket of this kernel is open: a chunk that its device loses later counts as written
	// there.
	take_in_host_writes(a);
	// It is done before the brackets are looked at: see begin_fast().
	a.fast.store(0);
	if (!err)
		err = open_bracket(a, u, writes(mode));
	if (err)
		return err;
	wait_for_sent(a, g, writes(mode) ? every_device : device_copy(u.device));
	note_need(a, u, mode);
	err = make_valid(a, g, u, mode);
	if (err) {
		if (int e = end_for_others(a, g, u, mode))
			err = e;
		abandon_locked(a, u, mode);
		return err;
	}
	// Chunks may have changed hands while the lock was dropped: the hint needs a look of its own.
	if (u.whole && mode == kernel_mode::read_only && may_be_fast(a) && all_valid(a, u.device) && !conflicts(a, u))
		a.fast.store(a.fast.load() | device_copy(u.device));
	return 0;
}

// The bracket is open, so it is not looked for others' kernels again, and no hint lets them pass.
int begin_part(array &a, const usage &u, kernel_mode mode, range part)
{
	caller_guard g(a);
	visit v(a, g);
	if (!v)
		return no_array("gpuvm_kernel_begin", part);
	const layout::span s = a.place.chunks_of(intersect(part, u.part));
	const layout::span own = own_chunks(a, u, s);
	if (own.first >= own.last)
		return 0;
	if (int err = settle(a, g))
		return err;
	wait_for_sent(a, g, writes(mode) ? every_device : device_copy(u.device));
	return begin_chunks(a, g, u, mode, own);
}

int abandon_kernel(array &a, const usage &u, kernel_mode mode, bool ran)
{
	caller_guard g(a);
	int err = end_for_others(a, g, u, mode);
	if (ran && writes(mode)) {
		wait_until_idle(a, g, a.place.chunks_of(u.part));
		note_change(a, a.place.chunks_of(u.part));
		err = drop_copies(a, u.part, u.device);
		// Who got them meanwhile got what the kernel had made of them.
		if (had_only_copy(a, u))
			err = GPUVM_EDEVALLOC;
		forget_edges_of(a, g, u.device);
	}
	abandon_locked(a, u, mode);
	return mode == kernel_mode::write_only ? 0 : err;
}

int end_kernel(array &a, const usage &u, pending_kernel *pending, write_notes *notes, const homeward &how)
{
	// If all is valid on the device alone since the begin, nothing changes. A plain load would not do: see
	// leave_fast().
	const bool tells_changes = notes && a.changes.load(std::memory_order_relaxed);
	if (u.whole && !pending && !tells_changes && a.fast.fetch_or(0) == (device_copy(u.device) | host_copy) &&
	    passes_unseen(a)) {
		if (u.ends != ending::reader)
			note_whole_change(a);
		if (close_whole(a.links[u.device]))
			return 0;
	}
	if (u.whole && !pending && u.ends != ending::writer && close_reader(a.links[u.device]))
		return 0;
	if (pending)
		return end_by_event(a, u, pending);
	return end_locked(a, u, &pending, notes, how);
}

} // namespace het
