// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/split_watch.h"

#include "os/clock.h"
#include "os/lock.h"
#include "os/settings.h"
#include "os/thread.h"

#include <algorithm>
#include <utility>

namespace het::rt
{

namespace
{

constexpr uint64_t second = 1'000'000'000;

// The lock has rank leaf. Launches are looked at without it.
struct watch_list {
	futex_lock lock;
	watched_launch *first = nullptr;
	uint64_t looks = 0;
	bool has_thread = false;
	bool has_come = false; // tells that a launch came since the last look
};

constinit watch_list watched;

class guarded_watch
{
      public:
	guarded_watch() { watched.lock.lock(lock_rank::leaf); }
	~guarded_watch() { watched.lock.unlock(lock_rank::leaf); }
	guarded_watch(const guarded_watch &) = delete;
	guarded_watch &operator=(const guarded_watch &) = delete;
};

// This is the time between two looks: a part of the shortest time that matters.
uint64_t look_gap()
{
	return std::min(second, settings().watchdog_s * second / 8);
}

struct kept_launch {
	watched_launch *launch;
	reference<object> kept;
};

// Returns a launch that has not been looked at this time, or null if there is none.
kept_launch next_to_look_at()
{
	guarded_watch g;
	watched_launch *l = watched.first;
	while (l && l->seen == watched.looks)
		l = l->next;
	if (l)
		l->seen = watched.looks;
	return {l, reference<object>::to(l ? &l->kept_by() : nullptr)};
}

// It is false if nothing is there, and nothing has come since the last look; the next launch starts another thread.
bool begin_look()
{
	guarded_watch g;
	watched.looks++;
	watched.has_thread = watched.first || std::exchange(watched.has_come, false);
	return watched.has_thread;
}

// The last reference of a launch may be given back here, and with it what runs code of the program's.
void look_now_and_then(void *)
{
	faults_taken by_program_code;
	for (sleep_ns(look_gap()); begin_look(); sleep_ns(look_gap())) {
		for (kept_launch l; (l = next_to_look_at()).launch;)
			l.launch->look(now_ns(), look_gap(), settings().watchdog_s);
	}
}

} // namespace

void watch(watched_launch &l)
{
	if (!settings().watchdog_s)
		return;
	bool wants_thread;
	{
		guarded_watch g;
		l.next = watched.first;
		if (watched.first)
			watched.first->before = &l;
		watched.first = &l;
		l.seen = watched.looks;
		watched.has_come = true;
		wants_thread = !std::exchange(watched.has_thread, true);
	}
	if (!wants_thread || start_thread("het-watch", look_now_and_then, nullptr))
		return;
	guarded_watch g;
	watched.has_thread = false;
}

void unwatch(watched_launch &l)
{
	if (!settings().watchdog_s)
		return;
	guarded_watch g;
	watched_launch *next = l.next, *before = l.before;
	(before ? before->next : watched.first) = next;
	if (next)
		next->before = before;
}

} // namespace het::rt
