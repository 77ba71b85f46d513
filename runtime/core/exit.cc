// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/exit.h"

#include "core/dispatch.h"
#include "core/runtime.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/settings.h"

#include <cstdlib>
#include <utility>

namespace het::rt
{

namespace
{

// Cancels user events, or mappings, that nothing but the program would end. (A mapping that has predecessors is not
// held up by the program yet, or not any more.)
void cancel_all(sequence &s)
{
	auto claim_held_up = [](node &n) {
		auto &e = static_cast<het_event &>(n);
		if (!n.held || n.missing || std::exchange(e.begun, true))
			return false;
		n.held = false;
		e.retain();
		return true;
	};
	while (node *n = core().graph.find(s, claim_held_up)) {
		reference<het_event> e(static_cast<het_event *>(n));
		finish(*e, HET_ECANCELED);
	}
}

// Work that can finish is waited for; what hangs on the program, which does nothing any more, is cancelled. It runs
// several times, which wait no longer than once.
void at_exit()
{
	static const uint64_t end = now_ns() + uint64_t{settings().exit_wait_s} * 1'000'000'000;
	static bool given_up;
	if (core().forked.load() || given_up)
		return;
	core().exiting.store(true);
	do {
		uint32_t seen = progress();
		cancel_all(core().user_events);
		cancel_all(core().mappings);
		if (core().unfinished.load())
			wait_for_progress(seen);
	} while (core().unfinished.load() && now_ns() < end);
	uint32_t n = core().unfinished.load();
	given_up = n;
	if (n)
		warn("exit: %u commands have not finished in %u s and are left (HET_EXIT_WAIT)", n,
		     settings().exit_wait_s);
	for (unsigned i = 0; i < core().ndevices && !n; i++)
		core().devices[i]->compute->show_prints();
}

} // namespace

bool wait_at_exit()
{
	return !atexit(at_exit);
}

} // namespace het::rt
