// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/lost_pages.h"

#include "memory/body.h"
#include "memory/fragmented.h"
#include "os/log.h"

#include <algorithm>
#include <gpuvm.h>

namespace het
{

namespace
{

// Returns pages from @at on that are all lost, or all not.
range next_pages(const array &a, uint32_t c, uintptr_t at, bool *lost)
{
	uintptr_t end = a.place.chunk_range(c, 1).end;
	range r = {at, at + a.place.page};
	*lost = is_lost(a, r);
	while (r.end < end && is_lost(a, {r.end, r.end + a.place.page}) == *lost)
		r.end += a.place.page;
	return r;
}

// Calls f(pages, lost) until it fails.
template <typename F> int for_each_part(const array &a, uint32_t c, F f)
{
	range all = a.place.chunk_range(c, 1);
	int err = 0;
	for (uintptr_t at = all.begin; at < all.end && !err;) {
		bool lost;
		range r = next_pages(a, c, at, &lost);
		err = f(pages_of(a, r), lost);
		at = r.end;
	}
	return err;
}

} // namespace

bool is_lost(const array &a, range page)
{
	range r = intersect(page, a.place.user);
	while (!r.empty()) {
		copies_at copies = copies_of(a, a.place.chunk_at(r.begin), r.begin);
		if (!(copies.valid & ~a.context->lost.load()))
			return true;
		r.begin = std::min(r.end, copies.end);
	}
	return false;
}

int fail_lost_pages(array &a, uint32_t c)
{
	a.chunks[c].flags |= chunk_failed;
	a.chunks[c].host = access::none;
	int err = for_each_part(a, c, [&a](const pages &p, bool lost) {
		trap &catcher = *a.context->catcher;
		return lost ? catcher.spoil(p, *a.context->source) : catcher.heal(p, *a.context->source);
	});
	return err < 0 ? fail(GPUVM_EPROT, "array %p: pages with lost bytes can't be shown as such", a.place.user.ptr())
		       : 0;
}

int protect_rest(array &a, uint32_t c, access to)
{
	return for_each_part(a, c, [&a, to](const pages &p, bool lost) {
		return lost ? 0 : std::min(a.context->catcher->protect(p, to), 0);
	});
}

int admit_rest(array &a, uint32_t c, uintptr_t from)
{
	bool lost;
	range r = next_pages(a, c, round_down(from, a.place.page), &lost);
	a.chunks[c].host = access::write;
	return a.context->catcher->admit(pages_of(a, r), access::write);
}

} // namespace het
