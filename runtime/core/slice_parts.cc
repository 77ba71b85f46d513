// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/slice_parts.h"

#include "os/inject.h"

#include <algorithm>
#include <cstdint>
#include <new>

namespace het::rt
{

bool slice_parts::open(size_t nuses, bool by_parts, size_t nslices)
{
	nslices_ = nslices;
	if (!by_parts) {
		taken_.store(nslices_ = SIZE_MAX);
		return true;
	}
	had_.reset(new (std::nothrow) range[nuses]());
	return had_ != nullptr;
}

// Slices go through the bytes one way, so what one of them lacks lies at an end of what those before have. What lies
// between, if anything does, is taken as well. After an error nothing of it counts as had: who asks before all know of
// the error takes it again.
int slice_parts::take(range_use &u, range &had, range wanted) const
{
	if (wanted.empty() || had.covers(wanted))
		return 0;
	if (had.empty())
		had = {wanted.begin, wanted.begin};
	int err = 0;
	for (const range missing :
	     {range{std::min(had.begin, wanted.begin), had.begin}, range{had.end, std::max(had.end, wanted.end)}}) {
		if (!err && !missing.empty())
			err = begin_part(u, *core().host_memory, missing);
	}
	if (!err)
		had = {std::min(had.begin, wanted.begin), std::max(had.end, wanted.end)};
	return err;
}

// What is read comes first, as in begin_ranges(): bytes may be arguments twice, and where they are overwritten they
// would not be brought any more, nor would it be seen that they are lost.
int slice_parts::take_slice(std::span<range_use> uses, const sliced_plan &of, size_t slice)
{
	int err = 0;
	for (uint32_t access : {HET_READ_ONLY, HET_READ_WRITE, HET_WRITE_ONLY}) {
		for (size_t i = 0; i < uses.size() && !err; i++) {
			if (uses[i].access != access)
				continue;
			const range window = of.slices().bytes_of(of.window_of_use(i), slice);
			err = take(uses[i], had_[i], intersect(window, uses[i].bytes));
		}
	}
	return err;
}

bool slice_parts::take_next(std::span<range_use> uses, const sliced_plan &of, int *err)
{
	*err = 0;
	if (is_taking_.exchange(true))
		return false;
	const size_t slice = taken_.load();
	const bool is_any = slice < nslices_;
	delay_point();
	if (is_any)
		*err = take_slice(uses, of, slice);
	delay_point();
	if (is_any && !*err)
		taken_.store(slice + 1);
	is_taking_.store(false);
	return is_any;
}

} // namespace het::rt
