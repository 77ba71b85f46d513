// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/lost.h"

#include "memory/brackets.h"
#include "memory/chunks.h"
#include "memory/edges.h"
#include "memory/failure.h"
#include "memory/fragmented.h"
#include "memory/library.h"
#include "memory/lost_pages.h"
#include "memory/visited.h"

#include <gpuvm.h>

namespace het
{

namespace
{

// What an array loses, as it is found.
struct loss {
	range bytes; // from the first to the last
	size_t nbytes = 0;
	void add(range r)
	{
		bytes = {nbytes ? bytes.begin : r.begin, r.end};
		nbytes += r.size();
	}
};

// The host can use the pages that have lost no byte.
void take_lost_pages(array &a, uint32_t c)
{
	if (lower_access(a, {c, c + 1}, access::none) || fail_lost_pages(a, c))
		fail_chunk(a, c);
}

void report_loss(const array &a, const loss &l, unsigned device)
{
	if (l.nbytes)
		report(GPUVM_EDEVALLOC, a.place.user.ptr(),
		       "array %p: %zu of its %zu bytes, from %p to %p, were on %s alone, which has failed: they are "
		       "lost, and a touch of their pages raises SIGBUS",
		       a.place.user.ptr(), l.nbytes, a.place.user.size(), l.bytes.ptr(),
		       reinterpret_cast<void *>(l.bytes.end), a.context->devices[device]->name());
}

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
	loss lost;
	for (uint32_t c = all.first; c < all.last; c++) {
		if (drop_copy(a, c, device))
			continue;
		for_each_fragment(a, c, [&](range r, copyset valid) {
			if (valid & ~a.context->lost.load())
				return;
			lost.add(r);
		});
		take_lost_pages(a, c);
	}
	report_loss(a, lost, device);
}

// Bytes of the chunk that only the device @of has become those of @in.
void hand_over(array &a, uint32_t c, range bytes, unsigned of, unsigned in, loss &lost)
{
	const size_t before = lost.nbytes;
	for_each_fragment(a, c, [&](range r, copyset valid) {
		const range part = intersect(r, bytes);
		if (valid != device_copy(of) || part.empty())
			return;
		lost.add(part);
		// Where that can't be written down all of the chunk is lost.
		if (!write_fragment(a, c, part, in))
			enter(a, a.chunks[c], {device_copy(in), access::none});
	});
	if (lost.nbytes != before)
		take_lost_pages(a, c);
}

// Returns what lose_only_copies() does.
int hand_over_all(array &a, array_guard &g, range bytes, unsigned of, unsigned in)
{
	const layout::span s = a.place.chunks_of(bytes);
	leave_fast(a); // comes before the look at the brackets
	wait_until_idle(a, g, s);
	loss lost;
	int err = 0;
	for (uint32_t c = s.first; c < s.last && !err; c++) {
		err = being_written(a, c) ? GPUVM_ESTATE : 0;
		if (!err)
			hand_over(a, c, bytes, of, in, lost);
	}
	report_loss(a, lost, in);
	return err;
}

} // namespace

void lose_device(unsigned device)
{
	library &l = lib();
	structure_guard g(l);
	l.lost.fetch_or(device_copy(device));
	l.arrays.for_each([&](array &a) { lose_copies(a, device); });
}

// The device may be on its way through lose_device().
int lose_only_copies(range r, unsigned of, unsigned in)
{
	lib().lost.fetch_or(device_copy(in));
	return for_each_visited(
		r, [=](array &a, array_guard &g) { return hand_over_all(a, g, intersect(r, a.place.body), of, in); });
}

namespace
{

bool has_lost_bytes(const array &a, range r)
{
	const copyset lost = a.context->lost.load();
	const layout::span s = a.place.chunks_of(r);
	bool any = false;
	for (uint32_t c = s.first; c < s.last && !any; c++)
		for_each_fragment(a, c,
				  [&](range bytes, copyset valid) { any |= bytes.overlaps(r) && !(valid & ~lost); });
	return any;
}

} // namespace

bool is_any_lost(range r)
{
	return lib().lost.load() && for_each_visited(r, [=](array &a, array_guard &) { return has_lost_bytes(a, r); });
}

} // namespace het
