// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is what is told of a launch in slices, or in place: to the watch, while it lasts, what it waits for; to the
// program, when it is over, how it used the memory.
#include "core/dispatch.h"
#include "core/sliced_launch.h"
#include "core/waiting_kernels.h"
#include "memory/failure.h"
#include "os/clock.h"
#include "os/log.h"

#include <algorithm>
#include <cstdio>
#include <new>

namespace het::rt
{

// --- when it is over -----------------------------------------------------------

int sliced_launch::begin_record()
{
	on_memory.reset(new (std::nothrow) het_memory_use(planned_use()));
	const size_t n = nkernels() + 1; // perhaps it is inspected
	over_.reset(new (std::nothrow) bool[n]());
	begun_.reset(new (std::nothrow) std::atomic<const het_event *>[n]());
	return on_memory && over_ && begun_ ? 0 : fail(HET_ENOMEM, "het_launch: out of memory");
}

// The slice is about to be given to the device, which has none if all before it have ended.
void sliced_launch::count_stall(size_t slice)
{
	if (!slice)
		first_at_.store(now_ns());
	if (!slice || is_in_place() || ended_slices() != slice)
		return;
	on_memory->stalls++;
	on_memory->stalled_ns += now_ns() - last_over_at_.load();
}

void sliced_launch::end_record()
{
	if (!on_memory)
		return;
	const traffic &t = granules_ ? granules_->travelled() : frames_.travelled();
	on_memory->sent = t.sent;
	on_memory->brought = t.brought;
	on_memory->reused = t.reused;
	on_memory->left = t.left;
	on_memory->accesses_in_place = t.accesses;
	for (size_t i = 1; i < nlaunches(); i++)
		record_other(static_cast<sliced_plan &>(group_->launch(i)));
}

// All that has travelled counts for the first one.
void sliced_launch::record_other(sliced_plan &l) const
{
	l.on_memory.reset(new (std::nothrow) het_memory_use(l.planned_use()));
	if (l.on_memory)
		l.on_memory->slices = nslices();
}

// --- while it lasts ------------------------------------------------------------

// *slice is the one that does not get on, if it is one.
sliced_launch::obstacle sliced_launch::find_obstacle(size_t *slice) const
{
	const stage s = stage_.load();
	if (s != stage::is_open)
		return s == stage::gets_memory ? obstacle::memory
		       : s == stage::brings    ? obstacle::bytes_elsewhere
					       : obstacle::others;
	const size_t ended = ended_.load(), started = started_.load(), home = home_.load();
	if (ended < started) {
		*slice = ended / nlaunches();
		const het_event *const e = begun_[ended].load();
		executor *const where = lane_.load();
		return e && where->runs(*e) ? obstacle::kernel : obstacle::device;
	}
	const bool is_fetching = home == ended / nlaunches() && !all_started_.load();
	*slice = is_fetching ? started / nlaunches() : std::min(home, nslices() - 1);
	return is_fetching ? obstacle::way_there : obstacle::way_home;
}

// What has nothing open waits for others, which get on as long as any command ends.
uint64_t sliced_launch::steps_so_far() const
{
	const uint64_t all = uint64_t{changes_.load()} + started_.load() + device().reaped();
	return stage_.load() == stage::is_open ? all : all + progress();
}

// Returns how long those that have ended took each, or 0. An inspector tells nothing of how long its launch takes.
double sliced_launch::expected_seconds() const
{
	if (is_in_place())
		return 0;
	const size_t n = ended_.load();
	const uint64_t first = first_at_.load(), last = last_over_at_.load();
	return n && last > first ? double(last - first) * 1e-9 / double(n) : 0;
}

void sliced_launch::tell(obstacle o, size_t slice, double seconds, double expected) const
{
	const char *const device_name = device().compute->info().name;
	const bool is_cuda = device().compute->info().kind == HET_DEVICE_CUDA;
	char where[200] = "";
	const size_t room = sizeof(where);
	switch (o) {
	case obstacle::memory:
		snprintf(where, room, "memory of %.50s, which others have", device_name);
		break;
	case obstacle::bytes_elsewhere:
		snprintf(where, room, "bytes that slices have left on other devices than %.50s", device_name);
		break;
	case obstacle::others:
		snprintf(where, room, "other launches that have its arrays");
		break;
	case obstacle::kernel:
		snprintf(where, room,
			 "slice %zu of %zu on %.50s, which most likely waits for groups of later ones, for ever: %s",
			 slice, nslices(), device_name,
			 is_cuda ? "raise HET_DEVICE_MEMORY, or put .pragma \"het_no_slice\" into the kernel"
				 : "raise HET_DEVICE_MEMORY");
		break;
	case obstacle::device:
		snprintf(where, room, "what runs on %.50s before its slice %zu of %zu", device_name, slice, nslices());
		break;
	case obstacle::way_home:
		snprintf(where, room, "what slice %zu of %zu has written to come from %.50s", slice, nslices(),
			 device_name);
		break;
	case obstacle::way_there:
		snprintf(where, room, "the bytes of slice %zu of %zu to come to %.50s", slice, nslices(), device_name);
		break;
	}
	char usual[40] = "";
	if (expected > 0)
		snprintf(usual, sizeof(usual), " (a slice took %.2g s)", expected);
	// Before slices run its group may fall apart.
	const sliced_plan &waits = o == obstacle::kernel ? launch_of(std::min(ended_.load(), nkernels() - 1)) : *this;
	report(GPUVM_ESTATE, nullptr, "kernel %.60s does not fit, and has waited for %.0f s%s, for %s",
	       waits.name_of_kernel(), seconds, usual, where);
}

void sliced_launch::look(uint64_t now, uint64_t gap, unsigned least_seconds)
{
	if (is_told_.load())
		return;
	size_t slice = 0;
	const obstacle o = find_obstacle(&slice);
	const double seconds = double(quiet_.look(now, gap, true, steps_so_far())) * 1e-9;
	const double expected = expected_seconds();
	if (!is_stuck(seconds, expected, least_seconds))
		return;
	is_told_.store(true);
	if (o == obstacle::kernel) {
		het_kernel &late = launch_of(ended_.load()).asked_kernel();
		note_waiting(late, true); // comes first: whoever hears of it may end the process
		late_.store(&late);
	}
	tell(o, slice, seconds, expected);
	if (o == obstacle::kernel && ended_slices() > slice)
		end_lateness(0);
}

// What has ended has not waited for ever: it was slow.
void sliced_launch::end_lateness(int err)
{
	het_kernel *const late = late_.exchange(nullptr);
	if (!late || err)
		return;
	note_waiting(*late, false);
	warn("kernel %s: its slice on %s has ended after all; it runs in slices again", late->name.get(),
	     device().compute->info().name);
}

} // namespace het::rt
