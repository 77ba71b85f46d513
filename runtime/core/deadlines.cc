// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/deadlines.h"

#include "core/levels.h"
#include "core/runtime.h"
#include "os/clock.h"
#include "os/inject.h"
#include "os/log.h"
#include "os/settings.h"
#include "os/thread.h"
#include "policy/deadline.h"

#include <algorithm>
#include <cstring>

namespace het::rt
{

namespace
{

// With very many it looks no more often than that.
constexpr uint64_t shortest_sleep_ns = 50'000;

bool follows_deadlines()
{
	static const bool follows = [] {
		const char *text = settings().urgency;
		const bool by_priority = text && !strcmp(text, "priority");
		if (text && !by_priority && strcmp(text, "deadline") != 0)
			warn("HET_URGENCY=%s: say priority or deadline; deadline is used", text);
		return !by_priority;
	}();
	return follows;
}

timed_command time_of(const het_event &e)
{
	return {e.own_level, e.deadline, e.expected_ns};
}

// Those that will rise, in no order, and when the thread looks next. The lock has rank leaf.
struct {
	futex_lock lock;
	het_event *first = nullptr;
	uint64_t looks_at = no_time;
	std::atomic<uint32_t> bell{0};
	std::atomic<bool> has_thread{false};
	std::atomic<void (*)(het_event &, int8_t)> raise{nullptr};
} constinit timed_list;

void enter_timed(het_event &e)
{
	e.next_timed = timed_list.first;
	if (timed_list.first)
		timed_list.first->previous_timed = &e;
	timed_list.first = &e;
}

void leave_timed(het_event &e)
{
	(e.previous_timed ? e.previous_timed->next_timed : timed_list.first) = e.next_timed;
	if (e.next_timed)
		e.next_timed->previous_timed = e.previous_timed;
	e.next_timed = e.previous_timed = nullptr;
	e.rises_at = 0;
}

// Returns one that is to rise now and has not finished, or nothing: then that is to come at @next.
reference<het_event> take_due(uint64_t now, uint64_t *next)
{
	reference<het_event> found;
	*next = no_time;
	timed_list.lock.lock(lock_rank::leaf);
	for (het_event *e = timed_list.first; e && !found; e = e->next_timed) {
		if (e->rises_at <= now)
			found = reference<het_event>::to(e);
		else
			*next = std::min(*next, e->rises_at);
	}
	if (found) {
		found->rises_at = next_rise(time_of(*found), now);
		if (found->rises_at == no_time)
			leave_timed(*found);
	}
	timed_list.looks_at = found ? now : *next;
	timed_list.lock.unlock(lock_rank::leaf);
	return found;
}

// Its device has a lane of the new level before it goes there.
void raise_in_time(het_event &e, uint64_t now)
{
	const auto level = int8_t(level_by_deadline(time_of(e), now));
	levels_in_use().note(level);
	const executor *where = e.where.load();
	if (where && where->device())
		core().devices[where->number()]->lanes.open(level);
	timed_list.raise.load()(e, level);
}

// The last reference of a command may be given back here, and with it what runs code of the program's.
void look_at_deadlines(void *)
{
	faults_taken by_program_code;
	for (;;) {
		const uint32_t seen = timed_list.bell.load();
		const uint64_t now = now_ns();
		uint64_t next = no_time;
		if (const reference<het_event> e = take_due(now, &next)) {
			raise_in_time(*e, now);
			delay_point();
			continue;
		}
		const uint64_t sleep = next == no_time ? 0 : std::max(next - now, shortest_sleep_ns);
		futex_wait(&timed_list.bell, seen, next == no_time ? -1 : int64_t(sleep));
	}
}

// Where no thread can be had the next deadline asks again.
void start_looking()
{
	if (timed_list.has_thread.load(std::memory_order_relaxed) || timed_list.has_thread.exchange(true))
		return;
	delay_point();
	if (!start_thread("het-deadline", look_at_deadlines, nullptr))
		timed_list.has_thread.store(false);
}

} // namespace

void set_deadline(het_event &e, uint64_t ns)
{
	e.deadline = ns && ns < no_time - e.queued ? e.queued + ns : 0;
	e.own_level = e.level.load(std::memory_order_relaxed);
	if (!follows_deadlines())
		return;
	if (e.deadline)
		levels_in_use().note_deadline();
	// Without one it comes as it came, until the first one is there.
	e.due = levels_in_use().have_deadlines() ? due_time(e.deadline, e.queued) : 0;
	hasten(e);
}

void hasten(het_event &e)
{
	if (!e.deadline || !follows_deadlines())
		return;
	const auto level = int8_t(level_by_deadline(time_of(e), now_ns()));
	if (level <= e.level.load(std::memory_order_relaxed))
		return;
	e.level.store(level, std::memory_order_relaxed);
	levels_in_use().note(level);
}

void watch_deadline(het_event &e, void (*raise)(het_event &, int8_t level))
{
	if (!follows_deadlines())
		return;
	timed_list.raise.store(raise);
	start_looking();
	delay_point();
	const uint64_t now = now_ns();
	// It is listed although there may be no thread yet, as another caller is starting it.
	const bool is_late = level_by_deadline(time_of(e), now) > e.level.load(std::memory_order_relaxed);
	const uint64_t at = is_late ? now : next_rise(time_of(e), now);
	if (at == no_time)
		return;
	timed_list.lock.lock(lock_rank::leaf);
	e.rises_at = at;
	enter_timed(e);
	const bool is_first = at < timed_list.looks_at;
	timed_list.lock.unlock(lock_rank::leaf);
	if (!is_first)
		return;
	timed_list.bell.fetch_add(1);
	futex_wake(&timed_list.bell, 1);
}

void forget_deadline(het_event &e)
{
	if (!e.deadline)
		return;
	timed_list.lock.lock(lock_rank::leaf);
	if (e.rises_at)
		leave_timed(e);
	timed_list.lock.unlock(lock_rank::leaf);
}

} // namespace het::rt
