// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "core/object.h"
#include "sched/graph.h"

#include <het.h>

struct het_queue final : het::rt::object {
	bool in_order = false;
	// Commands may run on these devices, bit by number.
	uint32_t devices = 0;
	het_error_fn on_error = nullptr;
	void *on_error_arg = nullptr;
	// Its launches promise what HET_TOUCH_AFTER_WAIT says.
	bool touch_after_wait = false;
	// This is how urgent the commands are that come.
	std::atomic<int8_t> level{0};
	// They are to have ended so long after they came, or at no set time.
	uint64_t deadline_ns = 0;
	het::rt::sequence commands;
};

namespace het::rt
{

// Waits for all commands that the queue has now.
void finish_queue(het_queue &q);

} // namespace het::rt
