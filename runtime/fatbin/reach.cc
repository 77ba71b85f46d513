// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/reach.h"

#include <algorithm>

namespace het::fatbin
{

namespace
{

// Indices of 32 bits are taken for what they are as integers.
constexpr uint64_t most_work_items = (uint64_t{1} << 31) - 1;
// Products of two such numbers do not overflow the sums below.
constexpr __int128 most_bytes = __int128{1} << 60;

// Holds one axis in this launch.
struct extent {
	__int128 step;      // in bytes
	int64_t begin, end; // the ids with which work-items use anything
	bool is_cut;        // others than these are in the launch
};

bool is_written(const argument &a)
{
	return a.found == access::write_only || a.found == access::read_write;
}

int64_t multiply(const axis_row &a, const launch_ids &l, int64_t argument)
{
	switch (a.times) {
	case multiplier_one:
		return 1;
	case multiplier_size_0:
		return int64_t(l.size[0]);
	case multiplier_size_1:
		return int64_t(l.size[1]);
	default:
		return argument;
	}
}

// Returns false if a multiplier is no length.
bool measure(const argument &a, const launch_ids &l, const int64_t (&arguments)[most_axes],
	     extent (&extents)[most_axes])
{
	int64_t multipliers[most_axes];
	for (unsigned d = 0; d < most_axes; d++) {
		multipliers[d] = multiply(a.reach.axes[d], l, arguments[d]);
		if (multipliers[d] <= 0 || multipliers[d] > int64_t(most_work_items))
			return false;
	}
	for (unsigned d = 0; d < most_axes; d++) {
		const axis_row &axis = a.reach.axes[d];
		extent &e = extents[d];
		e.step = __int128{axis.step} * multipliers[d];
		e.begin = axis.flags & axis_from_zero ? 0 : int64_t(l.offset[d]);
		e.end = e.begin + int64_t(l.size[d]);
		e.is_cut = axis.flags & axis_bounded && e.end > multipliers[1 - d];
		if (e.is_cut)
			e.end = multipliers[1 - d];
		if (e.begin >= e.end || e.step < 0 || e.step > most_bytes)
			return false;
	}
	return true;
}

__int128 span(const extent &e)
{
	return (e.end - e.begin - 1) * e.step;
}

} // namespace

bool holds_for(const launch_ids &l, uint32_t dimensions)
{
	for (unsigned d = 0; d < 3; d++)
		if (!l.size[d] || l.size[d] > most_work_items || l.offset[d] > most_work_items - l.size[d] ||
		    (d >= dimensions && l.size[d] != 1))
			return false;
	return l.along < dimensions;
}

bool multiplier_of(const axis_row &a, uint32_t *argument)
{
	*argument = a.times - multiplier_argument;
	return a.times >= multiplier_argument;
}

bool find_pieces(const argument &a, uint32_t dimensions, const launch_ids &l, uint64_t nbytes,
		 const int64_t (&multipliers)[most_axes], pieces &made)
{
	extent extents[most_axes];
	if (!a.is_analysed || !a.has_reach() || !holds_for(l, dimensions) || !measure(a, l, multipliers, extents))
		return false;
	const extent &along = extents[l.along], &other = extents[1 - l.along];
	// A work-item that uses nothing would own what another one writes.
	if (along.is_cut)
		return false;
	__int128 offset = a.reach.offset, length = a.reach.length, count = 1;
	for (unsigned d = 0; d < most_axes; d++) {
		const axis_row &axis = a.reach.axes[d];
		offset += (extents[d].begin + axis.first) * extents[d].step;
		length += (__int128{axis.last} - axis.first) * extents[d].step;
	}
	__int128 first = offset, end = offset + length + span(along) + span(other);
	auto limit = a.reach.limit ? std::min(most_bytes, __int128{a.reach.limit}) : most_bytes;
	if (first < -limit || end > limit || nbytes > limit)
		return false;
	bool has_other = other.end - other.begin > 1, is_inside = other.step < along.step;
	if (is_written(a)) {
		// The shorter step leaves room for the bytes, the longer one for all of the shorter.
		const extent &shorter = has_other && is_inside ? other : along, &longer = is_inside ? along : other;
		if (shorter.step < length && (has_other || shorter.end - shorter.begin > 1))
			return false;
		if (has_other && longer.step < length + span(shorter))
			return false;
	}
	if (has_other && is_inside)
		length += span(other);
	else if (has_other)
		count = other.end - other.begin;
	made = {.offset = int64_t(offset),
		.step = uint64_t(along.step),
		.length = uint64_t(length),
		.count = uint64_t(count),
		.stride = count > 1 ? uint64_t(other.step) : 0};
	return true;
}

} // namespace het::fatbin
