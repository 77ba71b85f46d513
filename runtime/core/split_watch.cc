// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/split_watch.h"

#include "core/split_launch.h"
#include "os/clock.h"
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
	split_launch *first = nullptr;
	uint64_t looks = 0;
	bool has_thread = false;
	bool has_come = false; // a launch, since the last look
};

constinit watch_list watched;

class guarded
{
      public:
	guarded() { watched.lock.lock(lock_rank::leaf); }
	~guarded() { watched.lock.unlock(lock_rank::leaf); }
	guarded(const guarded &) = delete;
	guarded &operator=(const guarded &) = delete;
};

// Between two looks: a part of the shortest time that matters.
uint64_t look_gap()
{
	return std::min(second, settings().watchdog_s * second / 8);
}

// One that has not been looked at this time. Empty: there is none.
reference<split_launch> next_to_look_at()
{
	guarded g;
	split_launch *l = watched.first;
	while (l && l->watched.seen == watched.looks)
		l = l->watched.next;
	if (l)
		l->watched.seen = watched.looks;
	return reference<split_launch>::to(l);
}

// False: nothing is there, and nothing has come since the last look; the next launch starts another thread.
bool begin_look()
{
	guarded g;
	watched.looks++;
	watched.has_thread = watched.first || std::exchange(watched.has_come, false);
	return watched.has_thread;
}

void look_now_and_then(void *)
{
	for (sleep_ns(look_gap()); begin_look(); sleep_ns(look_gap())) {
		while (reference<split_launch> l = next_to_look_at())
			l->look(now_ns(), look_gap(), settings().watchdog_s);
	}
}

} // namespace

void watch(split_launch &l)
{
	if (!settings().watchdog_s)
		return;
	bool wants_thread;
	{
		guarded g;
		l.watched.next = watched.first;
		if (watched.first)
			watched.first->watched.before = &l;
		watched.first = &l;
		l.watched.seen = watched.looks;
		watched.has_come = true;
		wants_thread = !std::exchange(watched.has_thread, true);
	}
	if (!wants_thread || start_thread("het-watch", look_now_and_then, nullptr))
		return;
	guarded g;
	watched.has_thread = false;
}

void unwatch(split_launch &l)
{
	if (!settings().watchdog_s)
		return;
	guarded g;
	split_launch *next = l.watched.next, *before = l.watched.before;
	(before ? before->watched.next : watched.first) = next;
	if (next)
		next->watched.before = before;
}

} // namespace het::rt
