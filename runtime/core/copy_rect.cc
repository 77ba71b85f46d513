// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/copy_rect.h"

#include "core/ranges.h"
#include "os/log.h"

#include <cstring>

namespace het::rt
{

namespace
{

// Rows that lie closer are brought home in one go: they are likely to share a chunk.
constexpr size_t near = 65536;

} // namespace

int rect_transfer::take_side(const char *call, const het_rect &side, const size_t (&region)[3], rect *placed)
{
	rect inside; // is the object, or begins at the pointer
	if (!inside.place(0, side.origin, region, side.row_pitch, side.slice_pitch))
		return fail(HET_EARG,
			    "%s: %zu bytes, %zu rows, %zu planes from (%zu, %zu, %zu) with pitches %zu and %zu: "
			    "none may be 0, and neither rows nor planes overlap",
			    call, region[0], region[1], region[2], side.origin[0], side.origin[1], side.origin[2],
			    side.row_pitch, side.slice_pitch);
	range hull = inside.hull();
	const char *pointer = side.pointer ? static_cast<const char *>(side.pointer) + hull.begin : nullptr;
	int err = 0;
	range bytes = take_place({side.memory, side.memory ? hull.begin : 0, pointer}, hull.size(), call, &err);
	*placed = inside;
	placed->begin = bytes.begin;
	return err;
}

int rect_transfer::bring_rows_to_host(const rect &r, uint32_t access)
{
	return r.for_runs(near, [&](range run) { return bring_to_host(run, access); });
}

// Later commands wait for this one instead of those that write what it leaves as it is between the rows: it takes over
// their failures, too.
access_entry rect_transfer::entry_of(const rect &r, uint32_t access)
{
	bool writes = access & HET_WRITE_ONLY;
	return {.bytes = widen_to_edges(r.hull()), .reads = !writes || !r.is_solid(), .writes = writes};
}

int copy_rect::take(const het_copy_rect_args &args)
{
	int err = take_side("het_copy_rect", args.to, args.region, &to_);
	if (!err)
		err = take_side("het_copy_rect", args.from, args.region, &from_);
	if (err)
		return err;
	if (to_.overlaps(from_))
		return fail(HET_EARG, "het_copy_rect: the two sides overlap");
	entries_[0] = entry_of(to_, HET_WRITE_ONLY);
	entries_[1] = entry_of(from_, HET_READ_ONLY);
	accesses = entries_;
	return 0;
}

begin_result copy_rect::begin(executor &)
{
	int err = bring_rows_to_host(from_, HET_READ_ONLY);
	if (!err)
		err = bring_rows_to_host(to_, HET_WRITE_ONLY);
	for (size_t i = 0; i < to_.count() && !err; i++)
		memcpy(to_.row(i).ptr(), from_.row(i).ptr(), to_.bytes);
	return err;
}

} // namespace het::rt
