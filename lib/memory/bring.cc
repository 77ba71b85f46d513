// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/bring.h"

#include "memory/chunks.h"
#include "memory/context.h"
#include "memory/fragmented.h"
#include "memory/kernel.h"
#include "memory/pending.h"
#include "memory/transfer.h"
#include "os/inject.h"

#include <gpuvm.h>

namespace het
{

namespace
{

void finish_run(array &a, const chunk_run &run, unsigned device, bool writes, bool copied)
{
	for (uint32_t c = run.first; copied && c < run.first + run.count; c++) {
		chunk &ch = a.chunks[c];
		enter(a, ch, next_step(ch.state(), run.how, device, a.context->rules).next);
		if (run.via_alias)
			ch.valid |= host_copy;
		if (writes)
			ch.writer = uint8_t(1 + device);
	}
	release_chunks(a, run.first, run.count);
}

} // namespace

int bring_to_device(array &a, array_guard &g, layout::span s, event e, const usage &u, bool writes,
		    const array_history *rewrites)
{
	const unsigned device = u.device;
	int err = 0;
	for (uint32_t c = s.first; c < s.last && !err;) {
		err = settle(a, g);
		if (err)
			break;
		round r = next_round(a, {c, s.last}, e, device, writes, rewrites);
		c = r.next;
		a.context->stats.kept_bytes.add(r.kept);
		if (!r.count) {
			if (c < s.last)
				g.wait_for_change();
			continue;
		}
		if (u.behind) {
			for (size_t i = 0; i < r.count; i++)
				release_chunks(a, r.runs[i].first, r.runs[i].count);
			return GPUVM_ESTATE;
		}
		for (size_t i = 0; i < r.count && !err; i++) {
			const chunk_run &run = r.runs[i];
			if (run.how == event::begin_read)
				err = lower_access(a, {run.first, run.first + run.count}, access::read);
		}
		g.unlock();
		delay_point();
		if (!err)
			err = copy_to_device(a, device, {r.runs, r.count});
		delay_point();
		g.lock();
		for (size_t i = 0; i < r.count; i++)
			finish_run(a, r.runs[i], device, writes, !err);
	}
	return err;
}

} // namespace het
