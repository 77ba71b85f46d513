// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/granule_marks.h"

#include <cstring>
#include <new>

namespace het::rt
{

bool granule_marks::make(const granule_map &map, size_t granules, const slice_plan &plan)
{
	bytes_.reset(new (std::nothrow) char[bytes_for(granules)]());
	granules_ = bytes_ ? granules : 0;
	char *at = bytes_.get() + bounds_at();
	for (size_t i = 0; bytes_ && i < map.all().size(); i++, at += sizeof(uint64_t)) {
		const granule &g = map.all()[i];
		const uint64_t first = map.offset_of(g), bounds = first | (first + g.bytes.size()) << 32;
		if (plan.windows()[g.window].reads)
			memcpy(at, &bounds, sizeof(bounds));
	}
	return bytes_ != nullptr;
}

uint64_t granule_marks::word(size_t at, size_t granule) const
{
	uint64_t v;
	memcpy(&v, &bytes_[at + sizeof(v) * granule], sizeof(v));
	return v;
}

// Of many groups a few tell enough: which granules are used more than others. A thread that goes around a loop for long
// would make the launch wait for longer than it gains.
inspection_table granule_marks::table(uint64_t at, const granule_map &map, uint64_t groups, bool whole)
{
	constexpr uint64_t many_groups = 4096;
	constexpr uint32_t one_of_many = 16, most_steps = 1 << 16;
	one_of_ = !whole && groups >= many_groups ? one_of_many : 1;
	return {.base = first_granule_address,
		.size = map.size(),
		.reads = at + reads_at(),
		.writes = at + writes_at(),
		.sources = at + sources_at(),
		.bounds = at + bounds_at(),
		.counts = at + counts_at(),
		.result = at,
		.bits = map.bits(),
		.granules = uint32_t(granules_),
		.steps = most_steps,
		.skipped = one_of_ - 1};
}

bool granule_marks::are_whole() const
{
	return !word(0, 0);
}

} // namespace het::rt
