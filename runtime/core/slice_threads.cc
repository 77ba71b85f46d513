// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/slice_threads.h"

#include "core/dispatch.h"
#include "core/event_thread.h"
#include "core/sliced_plan.h"
#include "dev/opening.h"
#include "os/log.h"

#include <new>

namespace het::rt
{

namespace
{

void fetch_in_its_thread(het_event &e);

void bring_slices_in_its_thread(het_event &e)
{
	static_cast<sliced_plan &>(e).bring_all();
}

int urgency_of_fetch(const het_event &e)
{
	return static_cast<const sliced_plan &>(e).urgency_of_fetch();
}

void is_passed_by_fetch(het_event &e)
{
	static_cast<sliced_plan &>(e).is_passed();
}

constexpr event_order most_urgent_first = {urgency_of_fetch, is_passed_by_fetch};

struct pair_of_threads {
	opening started{};
	event_thread fetcher{"het-fetch", fetch_in_its_thread, &het_event::next_in_flight, &most_urgent_first};
	event_thread evictor{"het-evict", bring_slices_in_its_thread, &het_event::next_to_bring};
};

constinit pair_of_threads threads[most_devices];

pair_of_threads &threads_of(const het_device &d)
{
	return threads[d.executor.number()];
}

// The launch may be over before the fetcher has left it.
void fetch_in_its_thread(het_event &e)
{
	auto l = reference<sliced_plan>::to(static_cast<sliced_plan *>(&e));
	if (!l->fetch_begin())
		return;
	threads_of(l->device()).evictor.add(*l);
	l->fetch_all();
}

// It does nothing but to end a launch.
class ending_of_slices final : public het_event
{
      public:
	ending_of_slices(sliced_plan &l, int status) : het_event(nullptr), of_(l), status_(status)
	{
		level.store(l.urgency(), std::memory_order_relaxed);
	}
	bool is_empty() const override { return false; }
	void after(int) override { of_.finish_here(status_); }

      private:
	sliced_plan &of_;
	const int status_;
};

} // namespace

int start_slice_threads(const het_device &d, const char *kernel)
{
	pair_of_threads &two = threads_of(d);
	return two.started.once([&] {
		if (two.fetcher.start() && two.evictor.start())
			return 0;
		return fail(HET_ENOMEM, "het_launch: no thread can be started for the slices of kernel %s", kernel);
	});
}

void fetch_slices(sliced_plan &l)
{
	threads_of(l.device()).fetcher.add(l);
}

void end_in_service(sliced_plan &l, int status)
{
	auto *last = new (std::nothrow) ending_of_slices(l, status);
	if (last)
		start_part(last, core().service);
	else
		l.finish_here(status);
}

} // namespace het::rt
