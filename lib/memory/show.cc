// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/show.h"

#include "memory/body.h"
#include "memory/brackets.h"
#include "memory/chunks.h"
#include "memory/failure.h"
#include "memory/history.h"
#include "memory/home.h"
#include "memory/host_writes.h"
#include "memory/send_ahead.h"
#include "os/inject.h"
#include "os/probes.h"

#include <algorithm>
#include <cerrno>

namespace het
{

int show_pages(const array &a, range r, access to)
{
	trap &catcher = *a.context->catcher;
	pages p = pages_of(a, r);
	int err = catcher.admit(p, to);
	// A hole in the source can only come from outside (somebody punched it). The bytes are gone either way.
	if (err == -EFAULT && a.context->source->populate(p.offset, r.size()))
		err = catcher.admit(p, to);
	return err;
}

bool take_answer(array &a, uint32_t c, range r, int err)
{
	trap &catcher = *a.context->catcher;
	if (err > 0)
		take_in_found_writes(a, a.place.chunks_of(r));
	if (err >= 0)
		return true;
	if (err == -ENOMEM && !catcher.features().by_page)
		return false;
	if (err == -ENOENT) {
		void *user = a.place.user.ptr();
		report(GPUVM_ESTATE, user, "array %p: its memory was unmapped behind the library's back", user);
		catcher.wake(pages_of(a, r));
		return true;
	}
	fail_unshown(a, c, err);
	return true;
}

void fail_unshown(array &a, uint32_t c, int err)
{
	void *user = a.place.user.ptr();
	report(GPUVM_EPROT, user, "array %p: pages can't be shown (errno %d): SIGBUS", user, -err);
	fail_chunk(a, c);
}

namespace
{

constexpr size_t first_opened = 64 << 10;

bool any_barred(const array &a)
{
	uint32_t c = 0;
	while (a.context->strict && c < a.place.chunks && !is_barred(a, c))
		c++;
	return a.context->strict && c < a.place.chunks;
}

bool all_at_host(const array &a)
{
	for (uint32_t c = 0; c < a.place.chunks; c++) {
		if (a.chunks[c].valid != host_copy || a.chunks[c].flags)
			return false;
	}
	return true;
}

bool admit(array &a, range r, access to)
{
	return take_answer(a, a.place.chunk_at(r.begin), r, show_pages(a, r, to));
}

// A page that is no longer protected takes another fault at its first write, one that is mapped anew does not; but
// until it is mapped those who read it are caught.
bool open(array &a, range r)
{
	int err = a.context->catcher->open_for_writes(pages_of(a, r));
	if (err < 0)
		err = show_pages(a, r, access::write);
	return take_answer(a, a.place.chunk_at(r.begin), r, err);
}

// Calls @show_part until it returns false. Page after page it takes long: so who waits goes on behind the first piece,
// which begins with his page, and meets pages that are there.
template <typename F> bool show_in_pieces(host_touch &h, range all, size_t piece, F show_part)
{
	auto show_one = [&](range r) {
		HET_PROBE3(resolve, r.begin, r.size(), int(h.st.next.host));
		return show_part(r);
	};
	bool by_page = h.a.context->catcher->features().by_page;
	uintptr_t from = by_page ? h.page().at.begin : all.begin;
	bool shown = true;
	piece = by_page ? piece : all.size();
	h.count();
	for (range rest = {from, all.end}; shown && !rest.empty(); piece = std::min(2 * piece, piece_bytes)) {
		range first = {rest.begin, std::min(rest.begin + piece, rest.end)};
		shown = show_one(first);
		if (rest.begin == from)
			h.has_gone_on();
		rest.begin = first.end;
	}
	return shown && (all.begin >= from || show_one({all.begin, from}));
}

// The first write to a segment of which the host's progress is watched.
verdict open_segment(host_touch &h)
{
	// Others wait for the same pages, which are not to be taken from those who have gone on.
	bool is_late = h.a.chunks[h.c].host != access::read;
	layout::span s = is_late ? layout::span{h.c, h.c + 1} : h.widen(opens_with(h.a, h.c));
	delay_point();
	enter_all(h.a, s, h.st.next);
	note_touch(h.a, s, true);
	if (!is_late)
		note_host_write(h.a, h.c);
	range all = h.a.place.chunk_range(s.first, s.last - s.first);
	bool shown = show_in_pieces(h, all, first_opened,
				    [&](range r) { return is_late ? admit(h.a, r, access::write) : open(h.a, r); });
	return shown ? verdict::done : show_whole(h);
}

// This is a mutant, which a test must notice: state and pages do not change under one lock.
verdict show_unlocked(host_touch &h, layout::span s, range r)
{
	enter_all(h.a, s, h.st.next);
	h.g.unlock();
	delay_point();
	admit(h.a, r, h.st.next.host);
	h.g.lock();
	return verdict::done;
}

} // namespace

verdict show_whole(host_touch &h)
{
	array &a = h.a;
	if (h.s.in_handler())
		return verdict::hand_over;
	// The array was unlinked, or is about to be, while the lock was dropped.
	if (!a.live || a.held) {
		h.wake();
		return verdict::done;
	}
	visit v(a, h.g);
	h.s.wait_for_device(true);
	layout::span all{0, a.place.chunks};
	int err = 0;
	// Kernels may end, and take chunks away again, while their data comes.
	do {
		// What a kernel writes in strict mode is not to be shown: the toucher waits for that, wherever it is.
		if (any_barred(a)) {
			a.chunks[h.c].flags |= chunk_awaited;
			return verdict::wait;
		}
		err = bring_home(a, h.g, all, event::touch_write, h.s.lane());
		wait_until_idle(a, h.g, all);
	} while (!err && (!all_at_host(a) || any_barred(a)));
	if (!err) {
		enter_all(a, all, {host_copy, access::write});
		err = a.context->catcher->admit(body_of(a), access::write);
	}
	HET_PROBE3(resolve, a.place.body.begin, a.place.body.size(), int(access::write));
	if (err < 0) {
		void *user = a.place.user.ptr();
		report(GPUVM_EPROT, user, "array %p: pages can't be shown (raise vm.max_map_count): SIGBUS", user);
		fail_chunk(a, h.c);
	}
	return verdict::done;
}

verdict show(host_touch &h)
{
	const array &a = h.a;
	if (h.t.write && is_write_watched(a, h.c))
		return open_segment(h);
	access before = a.chunks[h.c].host;
	layout::span s = h.window();
	range all = a.place.chunk_range(s.first, s.last - s.first);
	// The pages before the touched one wait for a second touch: few chunks get one.
	bool is_first = before != h.st.next.host;
	if (is_first && a.context->catcher->features().by_page)
		all.begin = h.page().at.begin;
	if (is_mutant(mutant::nolock))
		return show_unlocked(h, s, all);
	// Who writes to one chunk after the other will write to all pages of the next ones.
	bool opens = h.t.write && before == access::read && s.last - s.first > 1;
	delay_point();
	enter_all(h.a, s, h.st.next);
	note_touch(h.a, s, h.t.write);
	bool shown = show_in_pieces(h, all, opens ? first_opened : piece_bytes,
				    [&](range r) { return opens ? open(h.a, r) : admit(h.a, r, h.st.next.host); });
	return shown ? verdict::done : show_whole(h);
}

} // namespace het
