// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/event_watch.h"

#include "memory/context.h"
#include "memory/pending.h"
#include "memory/prefetch.h"
#include "os/clock.h"
#include "os/pool.h"
#include "os/thread.h"

#include <algorithm>

namespace het
{

namespace
{

constexpr uint64_t shortest_nap = 50'000, longest_nap = 20'000'000, part_of_age = 16;

} // namespace

// Who comes while the thread is being started does without it.
bool event_watch::has_thread()
{
	if (!has_own_thread_ || started_.load(std::memory_order_acquire))
		return true;
	if (tried_.exchange(true))
		return false;
	auto run_one = [](void *arg) { static_cast<event_watch *>(arg)->run(); };
	if (start_thread("het-events", run_one, this))
		started_.store(true, std::memory_order_release);
	return started_.load();
}

void event_watch::add(foreseen_chunks f, pending_kernel *kernel)
{
	auto *w = has_thread() ? pool_array<watched>(1) : nullptr;
	if (!w) {
		unwatch_pending(*f.in, kernel);
		drop_foreseen(&f);
		return;
	}
	*w = {nullptr, f.in, f, kernel, 0, 0};
	{
		guard g(lock_, lock_rank::leaf);
		w->next = added_;
		added_ = w;
	}
	bell_.fetch_add(1);
	if (has_own_thread_)
		futex_wake(&bell_, 1);
}

void event_watch::take_added(uint64_t now)
{
	guard g(lock_, lock_rank::leaf);
	while (watched *w = added_) {
		added_ = w->next;
		w->since = w->when = now;
		w->next = watched_;
		watched_ = w;
	}
}

// It is false if nothing is left to be done.
bool event_watch::see_to(watched &w, uint64_t now)
{
	if (w.in->context->leaving.load()) {
		if (w.kernel)
			unwatch_pending(*w.in, w.kernel);
		drop_foreseen(&w.chunks);
		return false;
	}
	if (w.kernel) {
		event_state s = look_at_pending(*w.in, w.kernel);
		if (s == event_state::under_way) {
			w.when = now + std::clamp((now - w.since) / part_of_age, shortest_nap, longest_nap);
			return true;
		}
		w.kernel = nullptr;
		if (s == event_state::failed) {
			drop_foreseen(&w.chunks);
			return false;
		}
	}
	prefetch(&w.chunks, {});
	return w.chunks.in;
}

uint64_t event_watch::look(uint64_t now)
{
	take_added(now);
	uint64_t next = never;
	for (watched **at = &watched_; *at;) {
		watched *w = *at;
		if (w->when <= now && !see_to(*w, now)) {
			*at = w->next;
			pool().release(w, sizeof(*w));
			continue;
		}
		next = std::min(next, w->when);
		at = &w->next;
	}
	return next;
}

void event_watch::run()
{
	for (;;) {
		uint32_t seen = bell_.load();
		uint64_t now = now_ns(), next = look(now);
		if (next > now)
			futex_wait(&bell_, seen, next == never ? -1 : int64_t(next - now));
	}
}

} // namespace het
