// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/skew.h"

#include <algorithm>

namespace het::rt
{

namespace
{

// More rows than any launch should have are as good as none.
constexpr __int128 most_shift = __int128{1} << 48;

// Finds by how many rows, at most, a row of @u may lie before one of @earlier that uses bytes of it: less than 0 if all
// such lie behind.
bool find_distance(const row_use &earlier, const row_use &u, __int128 *rows)
{
	if (!earlier.by_rows || !u.by_rows || !u.step || earlier.step != u.step)
		return false;
	const __int128 ahead =
		(__int128{u.bytes.begin} + u.first + u.length) - (__int128{earlier.bytes.begin} + earlier.first);
	const __int128 step = u.step;
	*rows = (ahead > 0 ? (ahead + step - 1) / step : -(-ahead / step)) - 1;
	return true;
}

bool must_follow(const row_use &earlier, const row_use &u)
{
	return (earlier.writes || u.writes) && earlier.bytes.overlaps(u.bytes);
}

} // namespace

bool find_shift(std::span<const mixed_launch> before, mixed_launch &l)
{
	__int128 shift = 0;
	for (const mixed_launch &b : before) {
		for (const row_use &earlier : b.uses) {
			for (const row_use &u : l.uses) {
				__int128 rows = 0;
				if (!must_follow(earlier, u))
					continue;
				if (!find_distance(earlier, u, &rows))
					return false;
				shift = std::max(shift, rows + b.shift);
			}
		}
	}
	l.shift = uint64_t(shift);
	return shift < most_shift;
}

row_span rows_of(const mixed_launch &l, row_span of_group)
{
	const uint64_t end = of_group.first + of_group.count;
	const uint64_t first = of_group.first > l.shift ? of_group.first - l.shift : 0;
	const uint64_t last = std::min<uint64_t>(end > l.shift ? end - l.shift : 0, l.nrows);
	return {first, last > first ? last - first : 0};
}

bool shift_use(const mixed_launch &l, size_t use, row_use &shifted)
{
	shifted = l.uses[use];
	uint64_t bytes = 0;
	return !__builtin_mul_overflow(l.shift, shifted.step, &bytes) && bytes < uint64_t{1} << 62 &&
	       !__builtin_sub_overflow(shifted.first, int64_t(bytes), &shifted.first);
}

} // namespace het::rt
