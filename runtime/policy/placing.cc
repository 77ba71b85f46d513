// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/placing.h"

namespace het::rt
{

namespace
{

// Seconds; enough to make up for a device that turns out to be slow.
constexpr double much_ahead = 0.05;

} // namespace

double expected_finish(const candidate &c, double items)
{
	return c.ahead + c.missing / c.rate + items / c.speed;
}

size_t place(std::span<const candidate> candidates, double items)
{
	size_t best = candidates.size();
	for (size_t i = 0; i < candidates.size(); i++) {
		if (!(candidates[i].speed > 0))
			continue;
		if (best == candidates.size() ||
		    expected_finish(candidates[i], items) < expected_finish(candidates[best], items))
			best = i;
	}
	// The first is not known: it is tried.
	if (best == candidates.size() || (!(candidates[0].speed > 0) && candidates[0].ahead < much_ahead))
		return 0;
	for (size_t i = 0; i < candidates.size() && candidates[best].ahead >= much_ahead; i++) {
		if (!(candidates[i].speed > 0) && !(candidates[i].ahead > 0))
			return i;
	}
	return best;
}

} // namespace het::rt
