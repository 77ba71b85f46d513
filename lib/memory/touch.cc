// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The path from a caught touch to a page that is shown. Nothing here, in fetch.cc and in show.cc allocates, touches a
// trapped page, or holds a lock while a device is called.
#include "memory/touch.h"

#include "memory/brackets.h"
#include "memory/failure.h"
#include "memory/fetch.h"
#include "memory/fragmented.h"
#include "memory/home.h"
#include "memory/hooks.h"
#include "memory/host_writes.h"
#include "memory/library.h"
#include "memory/lost_pages.h"
#include "memory/partial_loss.h"
#include "memory/pending.h"
#include "memory/show.h"
#include "os/clock.h"
#include "os/mapping.h"
#include "os/probes.h"

#include <atomic>

namespace het
{

namespace
{

// The whole chunk comes home from its fragments, and who has touched it tries again.
verdict gather(host_touch &h)
{
	if (auto no = h.refusal())
		return *no;
	array &a = h.a;
	visit v(a, h.g);
	h.s.wait_for_device(true);
	a.context->stats.fetches.add(1);
	HET_PROBE3(fetch, h.t.addr, a.place.bytes_of(h.c).size(), each_fragments_own);
	int err;
	{
		watched_call watched(h.s.lane(), a.place.user.ptr());
		err = bring_home(a, h.g, {h.c, h.c + 1}, event::fetch, h.s.lane());
	}
	if (err)
		h.fail_unread();
	else
		h.wake();
	return verdict::done;
}

// Of a chunk that has lost bytes what is left is shown.
verdict touch_failed(host_touch &h)
{
	array &a = h.a;
	uint32_t c = h.c;
	if (!has_lost_bytes(a, c) || is_lost(a, h.page().at)) {
		h.wake();
		return h.s.in_handler() ? verdict::not_ours : verdict::done;
	}
	if (is_rest_at_home(a, c) && !a.pending) {
		int err = admit_rest(a, c, h.t.addr);
		if (err < 0)
			fail_unshown(a, c, err);
		return verdict::done;
	}
	if (auto no = h.refusal())
		return *no;
	visit v(a, h.g);
	h.s.wait_for_device(true);
	int err = settle(a, h.g);
	// The lock was dropped. In any case who has touched it tries again.
	bool is_same = (a.chunks[c].flags & (chunk_failed | chunk_busy)) == chunk_failed && has_lost_bytes(a, c);
	if (!err && is_same)
		err = bring_rest_home(a, h.g, c, h.s.lane());
	if (err)
		h.fail_unread();
	else
		h.wake();
	return verdict::done;
}

std::atomic<touch_watcher> watcher{nullptr};

verdict serve_in_array(array &a, touch t, server &s, touch_times at)
{
	array_guard g(a);
	at.pass(&touch_times::locked);
	HET_PROBE3(lock, t.addr, int(t.write), &a);
	if (!a.live || !a.place.body.contains(t.addr))
		return verdict::not_ours;
	if (a.held)
		return verdict::wait;
	take_in_host_writes(a);
	uint32_t c = a.place.chunk_at(t.addr);
	chunk &ch = a.chunks[c];
	const bool is_kernels = is_barred(a, c);
	if ((ch.flags & chunk_busy) || is_kernels) {
		ch.flags |= chunk_awaited;
		if (touch_watcher tell = is_kernels ? watcher.load() : nullptr)
			tell(t.addr);
		return verdict::wait;
	}
	event e = t.write ? event::touch_write : event::touch_read;
	host_touch h({&a, t, c, step_of(a, c, e, 0), at}, g, s);
	if (ch.flags & chunk_failed)
		return touch_failed(h);
	if (h.st.from == each_fragments_own)
		return gather(h);
	return h.st.copies() ? fetch(h) : show(h);
}

touch_times begin_times(const array &a, const touch &t)
{
	touch_times at;
	at.wanted = a.context->last.is_wanted();
	at.seen = now_ns();
	at.caught = t.caught ? t.caught : at.seen;
	at.handed = t.handed;
	return at;
}

class handler_server final : public server
{
      public:
	unsigned lane() const override { return 0; }
	bool in_handler() const override { return true; }
	void wait_for_device(bool) override {}
};

} // namespace

verdict serve(const address_index<array> &arrays, touch t, server &s)
{
	array *a = arrays.find(t.addr);
	HET_PROBE3(fault, t.addr, int(t.write), a);
	return a ? serve_in_array(*a, t, s, begin_times(*a, t)) : verdict::not_ours;
}

void set_touch_watcher(touch_watcher w)
{
	watcher.store(w);
}

bool touched_here(touch t)
{
	array *a = lib().arrays.find(t.addr);
	if (!a)
		return false;
	handler_server s;
	bool timed = a->context->last.is_wanted();
	t.caught = timed ? now_ns() : 0;
	// This comes before serve() looks, so a change after that is not slept through.
	a->waiters.fetch_add(1, std::memory_order_relaxed);
	uint32_t seen = a->changed.load();
	verdict v = serve(lib().arrays, t, s);
	if (v == verdict::wait)
		futex_wait(&a->changed, seen);
	a->waiters.fetch_sub(1, std::memory_order_relaxed);
	if (v == verdict::hand_over) {
		HET_PROBE3(hand_over, t.addr, int(t.write), a);
		t.handed = timed ? now_ns() : 0;
		a->context->catcher->hand_over(t);
		HET_PROBE3(back, t.addr, int(t.write), a);
	}
	return v != verdict::not_ours;
}

} // namespace het
