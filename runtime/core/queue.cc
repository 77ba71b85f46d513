// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/queue.h"

#include "core/dispatch.h"
#include "core/runtime.h"
#include "os/thread.h"

#include <sched.h>

namespace het::rt
{

// The last command comes first: when it has finished most others have, and each one that is waited for may be a sleep
// and a wake.
void finish_queue(het_queue &q)
{
	faults_taken by_program_code; // is for all kernels that run here: once costs less than for each
	uint64_t last = core().graph.count_of(q.commands);
	auto keep = [](node &n) { static_cast<het_event &>(n).retain(); };
	while (node *unfinished = core().graph.last_or_first_of(q.commands, last, keep)) {
		reference<het_event> e(static_cast<het_event *>(unfinished));
		wait_for(*e);
	}
	while (q.commands.leaving.load())
		sched_yield();
}

} // namespace het::rt
