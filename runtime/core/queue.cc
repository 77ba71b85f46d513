// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/queue.h"

#include "core/runtime.h"

namespace het::rt
{

void finish_queue(het_queue &q)
{
	uint64_t last = core().graph.count_of(q.commands);
	for (;;) {
		auto keep = [](node &n) { static_cast<het_event &>(n).retain(); };
		node *first = core().graph.first_of(q.commands, last, keep);
		if (!first)
			break;
		reference<het_event> e(static_cast<het_event *>(first));
		wait_for(*e);
	}
}

} // namespace het::rt
