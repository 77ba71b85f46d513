// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/slice_threads.h"

#include "core/dispatch.h"
#include "core/event_thread.h"
#include "core/sliced_launch.h"
#include "dev/opening.h"

#include <new>

namespace het::rt
{

namespace
{

void fetch_in_its_thread(het_event &e);

void bring_in_its_thread(het_event &e)
{
	static_cast<sliced_launch &>(e).bring_all();
}

struct pair_of_threads {
	opening started{};
	event_thread fetcher{"het-fetch", fetch_in_its_thread};
	event_thread evictor{"het-evict", bring_in_its_thread, &het_event::next_to_bring};
};

constinit pair_of_threads threads[most_devices];

pair_of_threads &threads_of(const sliced_launch &l)
{
	return threads[l.device().executor.number()];
}

// The launch may be over before the fetcher has left it.
void fetch_in_its_thread(het_event &e)
{
	auto l = reference<sliced_launch>::to(static_cast<sliced_launch *>(&e));
	if (!l->fetch_begin())
		return;
	threads_of(*l).evictor.add(*l);
	l->fetch_all();
}

// It does nothing but to end a launch.
class ending_of_slices final : public het_event
{
      public:
	ending_of_slices(sliced_launch &l, int status) : het_event(nullptr), of_(l), status_(status) {}
	bool is_empty() const override { return false; }
	void after(int) override { finish(of_, status_); }

      private:
	sliced_launch &of_;
	const int status_;
};

} // namespace

bool fetch_slices(sliced_launch &l)
{
	pair_of_threads &two = threads_of(l);
	const int err = two.started.once([&] { return two.fetcher.start() && two.evictor.start() ? 0 : HET_ENOMEM; });
	if (err)
		return false;
	two.fetcher.add(l);
	return true;
}

void end_in_service(sliced_launch &l, int status)
{
	auto *last = new (std::nothrow) ending_of_slices(l, status);
	if (last)
		start_part(last, core().service);
	else
		finish(l, status);
}

} // namespace het::rt
