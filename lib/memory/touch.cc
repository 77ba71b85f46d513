// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The path from a caught touch to a page that is shown. Nothing here allocates, touches a trapped page, or
// holds a lock while a device is called.
#include "memory/touch.h"

#include "memory/brackets.h"
#include "memory/chunks.h"
#include "memory/failure.h"
#include "memory/fragmented.h"
#include "memory/home.h"
#include "memory/host_writes.h"
#include "memory/library.h"
#include "memory/lost_pages.h"
#include "memory/partial_loss.h"
#include "memory/pending.h"
#include "memory/pin.h"
#include "memory/transfer.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/mapping.h"
#include "os/probes.h"
#include "os/settings.h"

#include <algorithm>
#include <cerrno>

namespace het
{

namespace
{

// Pieces of a read-ahead after the touched chunk: large enough for bandwidth, small enough to overlap.
constexpr size_t piece_bytes = 1 << 20;

pages page_of(const array &a, uintptr_t at)
{
	uintptr_t begin = round_down(at, a.place.page);
	return pages_of(a, {begin, begin + a.place.page});
}

// Chunks from @c on, at most @limit, that take the same step as the first and are nobody else's business.
uint32_t same_step(const array &a, uint32_t c, uint32_t limit, event e, const step &first)
{
	uint32_t n = 1;
	for (; n < limit && c + n < a.place.chunks; n++) {
		const chunk &ch = a.chunks[c + n];
		step st = next_step(ch.state(), e, 0, lib().rules);
		if (ch.flags || st.from != first.from || st.next != first.next)
			break;
		if (is_barred(a, c + n))
			break;
	}
	return n;
}

uint32_t choose_window(array &a, uint32_t c, event e, const step &first)
{
	auto limit = uint32_t(std::max<size_t>(settings().read_ahead >> a.place.chunk_shift, 1));
	uint32_t n = same_step(a, c, a.ahead.window(c, limit, e == event::touch_read), e, first);
	a.ahead.stopped_at(c + n);
	return n;
}

// Shows pages that are in the alias. As trap::admit().
int show_pages(const array &a, range r, access to)
{
	trap &catcher = *lib().catcher;
	pages p = pages_of(a, r);
	int err = catcher.admit(p, to);
	// A hole in the source can only come from outside (somebody punched it). The bytes are gone either way.
	if (err == -EFAULT && lib().source->populate(p.offset, r.size()))
		err = catcher.admit(p, to);
	return err;
}

// What show_pages() has answered for pages whose first are those of chunk @c. False: not without splitting a mapping, and
// the process may have no more. Lock held.
bool take_answer(array &a, uint32_t c, range r, int err)
{
	trap &catcher = *lib().catcher;
	if (err > 0)
		take_in_found_writes(a, a.place.chunks_of(r));
	if (err >= 0)
		return true;
	if (err == -ENOMEM && !catcher.features().by_page)
		return false;
	void *user = a.place.user.ptr();
	if (err == -ENOENT) {
		report(GPUVM_ESTATE, user, "array %p: its memory was unmapped behind the library's back", user);
		catcher.wake(pages_of(a, r));
		return true;
	}
	report(GPUVM_EPROT, user, "array %p: pages can't be shown (errno %d): SIGBUS", user, -err);
	fail_chunk(a, c);
	return true;
}

bool admit(array &a, uint32_t c, range r, access to)
{
	return take_answer(a, c, r, show_pages(a, r, to));
}

void enter_all(array &a, uint32_t first, uint32_t count, chunk_state s)
{
	narrow_fast(a, s.valid);
	for (uint32_t c = first; c < first + count; c++)
		enter(a, a.chunks[c], s);
}

// The toucher can go on. (A read-ahead may not be over yet.)
void count_touch(uint64_t started)
{
	statistics &s = lib().stats;
	uint64_t took = now_ns() - started;
	s.touches.add(1);
	s.touch_ns.add(took);
	s.stalls.add(took);
}

bool any_barred(const array &a)
{
	uint32_t c = 0;
	while (lib().strict && c < a.place.chunks && !is_barred(a, c))
		c++;
	return lib().strict && c < a.place.chunks;
}

bool all_at_host(const array &a)
{
	for (uint32_t c = 0; c < a.place.chunks; c++) {
		if (a.chunks[c].valid != host_copy || a.chunks[c].flags)
			return false;
	}
	return true;
}

// The last resort of admit(): the whole array comes home and is shown as one mapping.
verdict show_whole(array &a, array_guard &g, touch t, uint32_t c, server &s)
{
	if (s.in_handler())
		return verdict::hand_over;
	// Unlinked, or about to be, while the lock was dropped.
	if (!a.live || a.held) {
		lib().catcher->wake(page_of(a, t.addr));
		return verdict::done;
	}
	visit v(a, g);
	s.wait_for_device(true);
	layout::span all{0, a.place.chunks};
	int err = 0;
	// Kernels may end, and take chunks away again, while their data comes.
	do {
		// What a kernel writes in strict mode is not to be shown: the toucher waits for that, wherever it is.
		if (any_barred(a)) {
			a.chunks[c].flags |= chunk_awaited;
			return verdict::wait;
		}
		err = bring_home(a, g, all, event::touch_write, s.lane());
		wait_until_idle(a, g, all);
	} while (!err && (!all_at_host(a) || any_barred(a)));
	if (!err) {
		enter_all(a, 0, all.last, {host_copy, access::write});
		err = lib().catcher->admit(body_of(a), access::write);
	}
	HET_PROBE3(resolve, a.place.body.begin, a.place.body.size(), int(access::write));
	if (err < 0) {
		report(GPUVM_EPROT, a.place.user.ptr(),
		       "array %p: pages can't be shown (raise vm.max_map_count): SIGBUS", a.place.user.ptr());
		fail_chunk(a, c);
	}
	return verdict::done;
}

// The bytes are in the alias: map around, from the touched page on.
verdict show(array &a, array_guard &g, touch t, uint32_t c, event e, const step &st, server &s, uint64_t started)
{
	uint32_t n = choose_window(a, c, e, st);
	range r = a.place.chunk_range(c, n);
	if (lib().catcher->features().by_page)
		r.begin = round_down(t.addr, a.place.page);
	if (mutant_nolock()) {
		enter_all(a, c, n, st.next);
		g.unlock();
		delay_point();
		admit(a, c, r, st.next.host);
		g.lock();
		return verdict::done;
	}
	delay_point();
	enter_all(a, c, n, st.next);
	// Page after page that takes long; who waits for the first can go on meanwhile.
	size_t piece = lib().catcher->features().by_page ? std::min(r.size(), piece_bytes) : r.size();
	bool shown = true;
	for (range rest = r; shown && !rest.empty(); rest.begin += std::min(piece, rest.size())) {
		range first = {rest.begin, std::min(rest.begin + piece, rest.end)};
		shown = admit(a, a.place.chunk_at(first.begin), first, st.next.host);
		HET_PROBE3(resolve, first.begin, first.size(), int(st.next.host));
		if (rest.begin == r.begin)
			count_touch(started);
	}
	return shown ? verdict::done : show_whole(a, g, t, c, s);
}

// ---- fetch -------------------------------------------------------------------------------------------

struct fetch_job {
	array &a;
	array_guard &g;
	touch t;
	device &dev;
	uint8_t source; // participant
	step st;        // of every chunk
	uint32_t touched;
	uint64_t started;
	bool shown = true;        // what has arrived
	bool others_wait = false; // for the same server
};

// No other copy is left: the toucher gets SIGBUS. Otherwise it tries again with another device.
void fetch_failed(fetch_job &j)
{
	chunk &ch = j.a.chunks[j.touched];
	copyset others = ch.valid & ~device_copy(device_of(j.source));
	report(GPUVM_EDEVALLOC, j.a.place.user.ptr(), "array %p: device %u failed while the host touched %p; %s",
	       j.a.place.user.ptr(), device_of(j.source), reinterpret_cast<void *>(j.t.addr),
	       others ? "another device has the data" : "its only valid copy can't be read: SIGBUS");
	if (others) {
		ch.valid = others;
		lib().catcher->wake(page_of(j.a, j.t.addr));
	} else {
		fail_chunk(j.a, j.touched);
	}
}

// Shows pages of a piece. Page after page that takes long; the chunks are busy, which keeps everybody else from them, so the
// lock is left to those who have other business meanwhile.
void show_part(fetch_job &j, chunk_run p, range r)
{
	if (r.empty())
		return;
	bool long_work = lib().catcher->features().by_page;
	if (long_work)
		j.g.unlock();
	int err = show_pages(j.a, r, j.st.next.host);
	if (long_work)
		j.g.lock();
	j.shown &= take_answer(j.a, p.first, r, err);
}

// Where pages are shown one by one, the one that is waited for comes first.
void show_piece(fetch_job &j, chunk_run p)
{
	range r = j.a.place.chunk_range(p.first, p.count), first = r;
	HET_PROBE3(resolve, r.begin, r.size(), int(j.st.next.host));
	bool touched = p.first == j.touched;
	if (touched && lib().catcher->features().by_page)
		first = page_of(j.a, j.t.addr).at;
	show_part(j, p, first);
	if (touched)
		count_touch(j.started);
	// The rest is at home, and a touch away.
	if (touched && j.others_wait)
		return;
	show_part(j, p, {first.end, r.end});
	show_part(j, p, {r.begin, first.begin});
}

// The bytes of a piece have arrived (or not). Lock held.
void finish_locked(fetch_job &j, chunk_run p, int err)
{
	if (!err) {
		enter_all(j.a, p.first, p.count, j.st.next);
		show_piece(j, p);
	} else if (p.first == j.touched) {
		fetch_failed(j);
	}
	release_chunks(j.a, p.first, p.count);
}

// Takes the lock and leaves it again.
void finish_piece(fetch_job &j, chunk_run p, int err)
{
	delay_point();
	j.g.lock();
	finish_locked(j, p, err);
	j.g.unlock();
}

// The touched chunk first and alone, then the rest.
chunk_run next_piece(const fetch_job &j, uint32_t at, uint32_t end)
{
	auto most = uint32_t(std::max<size_t>(piece_bytes >> j.a.place.chunk_shift, 1));
	return {at, at == j.touched ? 1 : std::min(most, end - at), j.source, false};
}

// One piece after the other, by a plain copy.
void read_in_turn(fetch_job &j, uint32_t end, unsigned lane)
{
	for (uint32_t at = j.touched; at < end;) {
		chunk_run p = next_piece(j, at, end);
		finish_piece(j, p, copy_to_host(j.a, {&p, 1}, lane));
		at += p.count;
	}
}

// Piece n + 1 travels while piece n is shown.
void read_overlapped(fetch_job &j, uint32_t end, server &s)
{
	struct in_flight {
		chunk_run run;
		read_ticket ticket;
		int err;
		uint64_t started;
	} slots[2];
	unsigned device = device_of(j.source);
	auto start = [&](in_flight &f, uint32_t at) {
		f.run = next_piece(j, at, end);
		f.started = start_of_copy();
		f.err = j.dev.start_read(s.lane(), piece_of(j.a, device, f.run.first, f.run.count), f.ticket);
		return at + f.run.count;
	};
	uint32_t at = start(slots[0], j.touched);
	s.wait_for_device(true);
	for (unsigned i = 0;; i ^= 1) {
		bool more = at < end;
		if (more)
			at = start(slots[i ^ 1], at);
		in_flight &f = slots[i];
		if (!f.err)
			f.err = j.dev.finish_read(s.lane(), f.ticket);
		if (!f.err)
			count_to_host(j.a.place.bytes_of(f.run.first, f.run.count).size(), f.started);
		// The next piece travels already, but what it has waited for this one is counted.
		if (more)
			slots[i ^ 1].started = start_of_copy();
		finish_piece(j, f.run, f.err);
		if (!more)
			return;
	}
}

// Whether others can be served while the device reads the chunk: it must be sure to end soon.
bool can_be_kept(const array &a, uint32_t c, device &dev, uint8_t source, const server &s)
{
	return !a.pending && !a.ahead.expects(c) && lib().catcher->features().by_page &&
	       is_pinned(a, device_of(source)) && s.has_room(source, dev.pinned_reads());
}

void start_fetch(fetch_job &j, server &s)
{
	started_fetch f{&j.a, j.t, j.touched, j.st, j.started, start_of_copy(), {}};
	int err = j.dev.start_read(s.lane(), piece_of(j.a, device_of(j.source), j.touched, 1), f.ticket);
	if (err)
		finish_piece(j, {j.touched, 1, j.source, false}, err);
	else
		s.keep(f);
}

verdict fetch(array &a, array_guard &g, touch t, uint32_t c, event e, const step &st, server &s, uint64_t started)
{
	device &dev = *lib().devices[device_of(st.from)];
	trap &catcher = *lib().catcher;
	bool stops = catcher.features().stops_threads;
	if (s.in_handler() && (!dev.signal_safe() || a.pending || stops))
		return verdict::hand_over;
	bool kept = can_be_kept(a, c, dev, st.from, s);
	if (!kept && s.kept())
		return verdict::later;

	uint32_t n = choose_window(a, c, e, st);
	// Before anything is read: the end of a kernel that is open now must wait for this fetch.
	leave_fast(a);
	for (uint32_t i = c; i < c + n; i++)
		a.chunks[i].flags |= chunk_busy;
	lib().stats.fetches.add(1);
	HET_PROBE3(fetch, t.addr, a.place.bytes_of(c, n).size(), device_of(st.from));
	fetch_job job{a, g, t, dev, st.from, st, c, started};
	if (a.pending) {
		s.wait_for_device(true);
		copyset broken = 0;
		settle(a, g, &broken);
		// What the kernel should have written is not there.
		if (broken & device_copy(device_of(st.from))) {
			fetch_failed(job);
			release_chunks(a, c, n);
			return verdict::done;
		}
	}
	g.unlock();
	delay_point();
	if (stops)
		catcher.stop_threads();
	if (dev.signal_safe()) {
		read_in_turn(job, c + n, s.lane());
	} else if (stops) {
		watched_call watched(s.lane(), a.place.user.ptr());
		read_in_turn(job, c + n, s.lane());
	} else if (kept) {
		start_fetch(job, s);
	} else {
		watched_call watched(s.lane(), a.place.user.ptr());
		if (n > 1) {
			read_overlapped(job, c + n, s);
		} else {
			s.wait_for_device(false);
			read_in_turn(job, c + n, s.lane());
		}
	}
	if (stops)
		catcher.resume_threads();
	if (job.shown)
		return verdict::done;
	g.lock();
	return show_whole(a, g, t, c, s);
}

// Fragments: the whole chunk comes home, and who has touched it tries again.
verdict gather(array &a, array_guard &g, touch t, uint32_t c, server &s)
{
	if (s.in_handler())
		return verdict::hand_over;
	if (s.kept())
		return verdict::later;
	visit v(a, g);
	s.wait_for_device(true);
	lib().stats.fetches.add(1);
	HET_PROBE3(fetch, t.addr, a.place.bytes_of(c).size(), each_fragments_own);
	int err;
	{
		watched_call watched(s.lane(), a.place.user.ptr());
		err = bring_home(a, g, {c, c + 1}, event::fetch, s.lane());
	}
	if (!err) {
		lib().catcher->wake(page_of(a, t.addr));
		return verdict::done;
	}
	report(GPUVM_EDEVALLOC, a.place.user.ptr(),
	       "array %p: a device failed while the host touched %p; its only valid copy can't be read: SIGBUS",
	       a.place.user.ptr(), reinterpret_cast<void *>(t.addr));
	fail_chunk(a, c);
	return verdict::done;
}

// Of a chunk that has lost bytes what is left is shown.
verdict touch_failed(array &a, array_guard &g, touch t, uint32_t c, server &s)
{
	if (!has_lost_bytes(a, c) || is_lost(a, page_of(a, t.addr).at)) {
		lib().catcher->wake(page_of(a, t.addr));
		return s.in_handler() ? verdict::not_ours : verdict::done;
	}
	if (is_rest_at_home(a, c) && !a.pending) {
		int err = admit_rest(a, c, t.addr);
		if (err < 0) {
			report(GPUVM_EPROT, a.place.user.ptr(), "array %p: pages can't be shown (errno %d): SIGBUS",
			       a.place.user.ptr(), -err);
			fail_chunk(a, c);
		}
		return verdict::done;
	}
	if (s.in_handler())
		return verdict::hand_over;
	if (s.kept())
		return verdict::later;
	visit v(a, g);
	s.wait_for_device(true);
	int err = settle(a, g);
	// The lock was dropped. In any case who has touched it tries again.
	bool is_same = (a.chunks[c].flags & (chunk_failed | chunk_busy)) == chunk_failed && has_lost_bytes(a, c);
	if (!err && is_same)
		err = bring_rest_home(a, g, c, s.lane());
	if (err) {
		report(GPUVM_EDEVALLOC, a.place.user.ptr(),
		       "array %p: a device failed while the host touched %p; its only valid copy can't be read: SIGBUS",
		       a.place.user.ptr(), reinterpret_cast<void *>(t.addr));
		fail_chunk(a, c);
	} else {
		lib().catcher->wake(page_of(a, t.addr));
	}
	return verdict::done;
}

verdict serve_in_array(array &a, touch t, server &s, uint64_t started)
{
	array_guard g(a);
	if (!a.live || !a.place.body.contains(t.addr))
		return verdict::not_ours;
	if (a.held)
		return verdict::wait;
	take_in_host_writes(a);
	uint32_t c = a.place.chunk_at(t.addr);
	chunk &ch = a.chunks[c];
	if ((ch.flags & chunk_busy) || is_barred(a, c)) {
		ch.flags |= chunk_awaited;
		return verdict::wait;
	}
	if (ch.flags & chunk_failed)
		return touch_failed(a, g, t, c, s);
	event e = t.write ? event::touch_write : event::touch_read;
	step st = next_step(ch.state(), e, 0, lib().rules);
	if (st.from == each_fragments_own)
		return gather(a, g, t, c, s);
	return st.copies() ? fetch(a, g, t, c, e, st, s, started) : show(a, g, t, c, e, st, s, started);
}

class handler_server final : public server
{
      public:
	unsigned lane() const override { return 0; }
	bool in_handler() const override { return true; }
	void wait_for_device(bool) override {}
};

} // namespace

verdict serve(touch t, server &s)
{
	array *a = lib().arrays.find(t.addr);
	HET_PROBE3(fault, t.addr, int(t.write), a);
	return a ? serve_in_array(*a, t, s, now_ns()) : verdict::not_ours;
}

void finish_fetch(started_fetch &f, server &s)
{
	array &a = *f.a;
	device &dev = *lib().devices[device_of(f.st.from)];
	s.wait_for_device(false);
	int err;
	{
		watched_call watched(s.lane(), a.place.user.ptr());
		err = dev.finish_read(s.lane(), f.ticket);
	}
	if (!err)
		count_to_host(a.place.bytes_of(f.chunk).size(), f.copy_started);
	delay_point();
	array_guard g(a);
	fetch_job job{a, g, f.t, dev, f.st.from, f.st, f.chunk, f.started};
	job.others_wait = s.kept() > 1;
	finish_locked(job, {f.chunk, 1, f.st.from, false}, err);
}

bool touched_here(touch t)
{
	array *a = lib().arrays.find(t.addr);
	if (!a)
		return false;
	handler_server s;
	// Before serve() looks: a change after that is not slept through.
	a->waiters.fetch_add(1, std::memory_order_relaxed);
	uint32_t seen = a->changed.load();
	verdict v = serve(t, s);
	if (v == verdict::wait)
		futex_wait(&a->changed, seen);
	a->waiters.fetch_sub(1, std::memory_order_relaxed);
	if (v == verdict::hand_over)
		lib().catcher->hand_over(t);
	return v != verdict::not_ours;
}

} // namespace het
