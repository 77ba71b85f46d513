// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/partial_loss.h"

#include "memory/chunks.h"
#include "memory/context.h"
#include "memory/fragmented.h"
#include "memory/home.h"
#include "memory/lane.h"
#include "memory/transfer.h"
#include "os/inject.h"

namespace het
{

namespace
{

copyset lost_copies(const array &a)
{
	return a.context->lost.load();
}

} // namespace

bool is_rest_at_home(const array &a, uint32_t c)
{
	bool home = true;
	for_each_fragment(a, c,
			  [&](range, copyset valid) { home &= valid == host_copy || !(valid & ~lost_copies(a)); });
	return home;
}

int bring_rest_home(array &a, array_guard &g, uint32_t c, unsigned lane)
{
	byte_run runs[fragments::most];
	size_t n = 0;
	for_each_fragment(a, c, [&](range r, copyset valid) {
		copyset there = valid & ~lost_copies(a);
		if (there && !(there & host_copy))
			runs[n++] = {r, source_of(there)};
	});
	leave_fast(a);
	a.chunks[c].flags |= chunk_busy;
	g.unlock();
	delay_point();
	int err = copy_bytes_to_host(a, {runs, n}, lane);
	g.lock();
	if (!err)
		leave_rest_to_host(a, c);
	release_chunks(a, c, 1);
	return err;
}

void bring_rest_home(array &a, array_guard &g)
{
	for (uint32_t c = 0; c < a.place.chunks; c++) {
		if (!bring_home(a, g, {c, c + 1}, event::fetch))
			continue;
		wait_until_idle(a, g, {c, c + 1});
		if (has_lost_bytes(a, c))
			bring_rest_home(a, g, c, any_lane);
	}
}

} // namespace het
