// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arithmetic of runs of bytes.
#pragma once

#include "core/range.h"

#include <algorithm>

namespace het::rt
{

// What is left of a run when bytes are taken away; each may be empty.
struct rest_of_run {
	range before, behind;
	bool is_split() const { return !before.empty() && !behind.empty(); }
	range larger() const { return before.size() < behind.size() ? behind : before; }
	range first() const { return before.empty() ? behind : before; }
};

inline rest_of_run without(range run, range r)
{
	if (r.empty() || !run.overlaps(r))
		return {run, {run.end, run.end}};
	return {{run.begin, std::max(run.begin, r.begin)}, {std::min(run.end, r.end), run.end}};
}

inline bool are_one_run(range a, range b)
{
	return a.begin <= b.end && b.begin <= a.end;
}

inline range hull_of(range a, range b)
{
	if (a.empty() || b.empty())
		return a.empty() ? b : a;
	return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

} // namespace het::rt
