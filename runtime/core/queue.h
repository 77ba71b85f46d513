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
	het::rt::sequence commands;
	// So many of them have left the sequence, and their events are about to say so.
	std::atomic<uint32_t> leaving{0};
};

namespace het::rt
{

// Waits for all commands that the queue has now.
void finish_queue(het_queue &q);

} // namespace het::rt
