// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/lost.h"

#include "memory/chunks.h"
#include "memory/edges.h"
#include "memory/failure.h"
#include "memory/fragmented.h"
#include "memory/library.h"
#include "memory/lost_pages.h"

namespace het
{

namespace
{

// Chunks that are on their way come to rest first, as the device answers with an error now.
void lose_copies(array &a, unsigned device)
{
	caller_guard g(a);
	layout::span all = {0, a.place.chunks};
	if (!a.live || !a.links[device].devbuf.load())
		return;
	a.fast.store(0);
	wait_until_idle(a, g, all);
	forget_edges_of(a, g, device);
	if (forgive_edges(a, g, device_copy(device)))
		report(GPUVM_EDEVALLOC, a.place.user.ptr(),
		       "array %p: what a kernel has written in its edges could not be read from %s, which has failed: "
		       "the host keeps old bytes",
		       a.place.user.ptr(), a.context->devices[device]->name());
	range lost;
	size_t nbytes = 0;
	for (uint32_t c = all.first; c < all.last; c++) {
		if (drop_copy(a, c, device))
			continue;
		for_each_fragment(a, c, [&](range r, copyset valid) {
			if (valid & ~a.context->lost.load())
				return;
			lost = {nbytes ? lost.begin : r.begin, r.end};
			nbytes += r.size();
		});
		if (lower_access(a, {c, c + 1}, access::none) || fail_lost_pages(a, c))
			fail_chunk(a, c);
	}
	if (nbytes)
		report(GPUVM_EDEVALLOC, a.place.user.ptr(),
		       "array %p: %zu of its %zu bytes, from %p to %p, were on %s alone, which has failed: they are "
		       "lost, and a "
		       "touch of their pages raises SIGBUS",
		       a.place.user.ptr(), nbytes, a.place.user.size(), lost.ptr(), reinterpret_cast<void *>(lost.end),
		       a.context->devices[device]->name());
}

} // namespace

void lose_device(unsigned device)
{
	library &l = lib();
	structure_guard g(l);
	l.lost.fetch_or(device_copy(device));
	l.arrays.for_each([&](array &a) { lose_copies(a, device); });
}

} // namespace het
