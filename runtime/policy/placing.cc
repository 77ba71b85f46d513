// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/placing.h"

#include <algorithm>

namespace het::rt
{

namespace
{

// So many seconds of work are enough to make up for a device that turns out to be slow.
constexpr double much_ahead = 0.05;
// A device that shares its processors is tried when so many times as long was spent without it as it is expected to
// take: soon as long as it may be the quicker one, and then from time to time, as what was measured may be wrong by
// now.
constexpr double soon = 3, seldom = 100;

bool is_known(const candidate &c)
{
	return c.speed > 0;
}

bool share_processors(const candidate &a, const candidate &b)
{
	return a.processors && a.processors == b.processors;
}

// Adds up what is ahead of all that it shares processors with.
double ahead_of(std::span<const candidate> all, const candidate &c)
{
	double sum = 0;
	for (const candidate &other : all)
		sum += &other == &c || share_processors(other, c) ? other.ahead : 0;
	return sum;
}

// Returns the number of candidates if no device is known.
size_t first_to_finish(std::span<const candidate> all, double items)
{
	size_t best = all.size();
	double least = 0;
	for (size_t i = 0; i < all.size(); i++) {
		if (!is_known(all[i]))
			continue;
		double finish = ahead_of(all, all[i]) + expected_duration(all[i], items);
		if (best == all.size() || finish < least) {
			best = i;
			least = finish;
		}
	}
	return best;
}

// Returns whether the candidate is to be tried beside the best one.
bool is_due(const candidate &c, const candidate &best, double items)
{
	if (!is_known(c))
		return c.since > soon * expected_duration(best, items);
	return c.since > (c.is_sure ? seldom : soon) * expected_duration(c, items);
}

} // namespace

double expected_duration(const candidate &c, double items)
{
	return c.missing / c.rate + c.cost + items / c.speed;
}

size_t place(std::span<const candidate> candidates, double items)
{
	size_t best = first_to_finish(candidates, items);
	// The first device is not known, so it is tried.
	if (best == candidates.size() || (!is_known(candidates[0]) && ahead_of(candidates, candidates[0]) < much_ahead))
		return 0;
	const candidate &quickest = candidates[best];
	bool busy = ahead_of(candidates, quickest) >= much_ahead;
	for (size_t i = 0; i < candidates.size(); i++) {
		const candidate &c = candidates[i];
		if (share_processors(c, quickest) ? i != best && is_due(c, quickest, items)
						  : busy && !is_known(c) && !(ahead_of(candidates, c) > 0))
			return i;
	}
	return best;
}

} // namespace het::rt
