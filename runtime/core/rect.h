// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A rectangle of bytes in memory has rows at equal distances, in planes at equal distances. The code makes no system
// call.
#pragma once

#include "core/range.h"

namespace het::rt
{

struct rect {
	uintptr_t begin = 0;
	// These are the bytes of a row, the rows of a plane, and the number of planes.
	size_t bytes = 0, rows = 0, planes = 0;
	size_t row_pitch = 0, slice_pitch = 0;

	// @origin and @region count bytes, rows and planes. A pitch of 0 means rows, or planes, without gaps. It is
	// false if rows or planes overlap each other, one of the region's numbers is 0, or an address does not fit.
	bool place(uintptr_t base, const size_t (&origin)[3], const size_t (&region)[3], size_t row, size_t plane);

	size_t count() const { return rows * planes; }
	// Returns rows that rise with @i and do not touch each other.
	range row(size_t i) const
	{
		uintptr_t at = begin + i / rows * slice_pitch + i % rows * row_pitch;
		return {at, at + bytes};
	}
	range hull() const { return {begin, row(count() - 1).end}; }
	// Returns whether the rows are all of its hull.
	bool is_solid() const { return hull().size() == bytes * count(); }
	bool overlaps(const rect &other) const;

	// Calls f(range) for rows in rising order, as one where they are less than @gap apart, until it returns other
	// than 0.
	template <class F> int for_runs(size_t gap, F f) const
	{
		range run = row(0);
		for (size_t i = 1; i < count(); i++) {
			range next = row(i);
			if (next.begin - run.end >= gap) {
				if (int stop = f(run))
					return stop;
				run.begin = next.begin;
			}
			run.end = next.end;
		}
		return f(run);
	}
};

} // namespace het::rt
