// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is what the program is told of a launch in slices, or in place: how it used the memory.
#include "core/sliced_launch.h"
#include "os/clock.h"
#include "os/log.h"

#include <new>

namespace het::rt
{

int sliced_launch::begin_record()
{
	on_memory.reset(new (std::nothrow) het_memory_use(planned_use()));
	over_.reset(new (std::nothrow) bool[nslices()]());
	return on_memory && over_ ? 0 : fail(HET_ENOMEM, "het_launch: out of memory");
}

// The slice is about to be given to the device, which has none if all before it have ended.
void sliced_launch::count_stall(size_t slice)
{
	if (!slice || ended_.load() != slice)
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
}

} // namespace het::rt
