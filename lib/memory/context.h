// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the arrays of one library share. Each knows its own (array::context), so who works on an array needs no library
// that was started: a test makes one of these, with a trap, devices and a page source of its own.
#pragma once

#include "core/coherence.h"
#include "core/foresight.h"
#include "core/send_plan.h"
#include "dev/device.h"
#include "dev/lane_pool.h"
#include "memory/event_watch.h"
#include "memory/send_queue.h"
#include "memory/space.h"
#include "memory/spinner.h"
#include "memory/stats.h"
#include "memory/touch_times.h"
#include "os/page_source.h"
#include "trap/trap.h"

#include <atomic>
#include <memory>
#include <optional>

namespace het
{

struct array;

struct memory_context {
	// These are set before the first array is made, and constant afterwards.
	unsigned ndevs = 0;
	std::unique_ptr<device> devices[max_devices];
	std::unique_ptr<trap> catcher;
	coherence_rules rules;
	bool strict = false;
	bool timed = false;
	// This says how it is foretold what the host will touch after kernels.
	foresight_kind foresight = foresight_kind::off;
	// And this, how what it writes between kernels is sent ahead of them.
	sending_kind sending = sending_kind::off;
	send_queue to_send;
	// Kernels that were ended by an event, behind which something is to come home.
	event_watch events;
	// The process exits, and its drivers with it: nothing more is brought home behind events, or sent ahead.
	std::atomic<bool> leaving{false};
	page_source *source = nullptr;
	// Callers of the API borrow these.
	std::optional<lane_pool> lanes;

	// This hands out parts of the page source. The structure lock guards it.
	page_space space;
	// Free objects are linked through array::offset (an address while the object is free). The structure lock
	// guards the list.
	array *free_arrays = nullptr;

	// Devices that have failed for good (memory/lost.h).
	std::atomic<copyset> lost{0};
	statistics stats;
	last_touch last;

	// How long the resolver that leads waits awake.
	spinner spin;
	// A kernel has ended that wrote: a touch is likely soon.
	void expect_touch()
	{
		if (spin.kernel_ended())
			catcher->interrupt();
	}
};

} // namespace het
