// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/whereabouts.h"

#include "memory/fragmented.h"
#include "memory/hooks.h"
#include "memory/library.h"
#include "memory/transfer.h"

#include <algorithm>

namespace het
{

namespace
{

// Returns how many bytes of the range the copy has. The caller holds the array's lock.
size_t bytes_there(const array &a, range r, copyset copy)
{
	layout::span s = a.place.chunks_of(r);
	size_t n = 0;
	for (uint32_t c = s.first; c < s.last; c++) {
		range wanted = intersect(a.place.bytes_of(c), r);
		while (!wanted.empty()) {
			copies_at copies = copies_of(a, c, wanted.begin);
			uintptr_t end = std::min(wanted.end, copies.end);
			n += copies.valid & copy ? end - wanted.begin : 0;
			wanted.begin = end;
		}
	}
	if (copy & host_copy)
		n += intersect(a.place.head, r).size() + intersect(a.place.tail, r).size();
	return n;
}

} // namespace

size_t missing_bytes(range r, copyset copy)
{
	size_t all = r.size(), linked = 0, there = 0;
	while (!r.empty() && is_linked(r.ptr(), r.size())) {
		array *a = lib().arrays.first_overlap(r);
		if (!a)
			break;
		caller_guard g(*a);
		range part = intersect(a->place.user, r);
		if (part.empty())
			break;
		if (a->live) {
			linked += part.size();
			there += bytes_there(*a, part, copy);
		}
		r.begin = part.end;
	}
	if (copy & host_copy)
		there += all - linked;
	return all - there;
}

size_t bytes_only_on(unsigned device)
{
	size_t n = 0;
	for (range rest = {0, UINTPTR_MAX}; anything_linked();) {
		array *a = lib().arrays.first_overlap(rest);
		if (!a)
			break;
		caller_guard g(*a);
		// It was unlinked since it was found, so look again.
		if (!a->live || !a->place.extent().overlaps(rest))
			continue;
		for (uint32_t c = 0; a->chunks && c < a->place.chunks; c++) {
			for_each_fragment(*a, c, [&](range bytes, copyset valid) {
				n += valid == device_copy(device) ? bytes.size() : 0;
			});
		}
		rest.begin = a->place.extent().end;
	}
	return n;
}

} // namespace het
