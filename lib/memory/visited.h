// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The walk of a call that works on all arrays in a range, one after the other.
#pragma once

#include "memory/array.h"
#include "memory/library.h"

namespace het
{

// Calls f(array &, array_guard &) for each array that overlaps the range, with its lock held and as a visitor. Ends
// with the first result that is not 0, and returns that. What the index had may be gone when its lock is there, or be
// linked anew: it is looked for again then.
template <class F> int for_each_visited(range r, F f)
{
	while (array *a = lib().arrays.first_overlap(r)) {
		caller_guard g(*a);
		visit v(*a, g);
		if (!v || !a->place.extent().overlaps(r))
			continue;
		if (int result = f(*a, static_cast<array_guard &>(g)))
			return result;
		if (a->place.extent().end >= r.end)
			break;
		r.begin = a->place.extent().end;
	}
	return 0;
}

} // namespace het
