// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What an inspector marks of a launch that works on host memory in place (core/granule_frames.h): a kernel made of the
// program's that runs before it, computes which addresses that will use, and writes nothing else.
// Documentation/het-ptx-inspect.rst says how. All blocks share their marks.
//
// What it finds decides which granules get frames, and nothing else: the launch is right whatever the marks say.
#pragma once

#include "dev/inspection_table.h"
#include "evict/granules.h"
#include "evict/slices.h"

#include <cstddef>
#include <memory>

namespace het::rt
{

class granule_marks
{
      public:
	// Returns how many bytes they take on the device for so many granules.
	static uint64_t bytes_for(size_t granules) { return result_bytes + granules * bytes_of_granule; }

	// Makes empty marks for so many granules, no less than the map has. What the launch reads may be loaded: the
	// rest is not there. It is false without memory.
	bool make(const granule_map &map, size_t granules, const slice_plan &plan);
	// All of them as they lie on the device, bytes_for() their number: they are copied there before the kernel
	// runs, and back behind it.
	char *bytes() { return bytes_.get(); }
	// The marks lie at this address of the device's. Of a grid of so many groups a part is inspected, or all of it.
	inspection_table table(uint64_t at, const granule_map &map, uint64_t groups, bool whole);

	// The kernel has ended by itself, and had all that it wanted to load.
	bool are_whole() const;
	bool is_source(size_t granule) const { return bytes_[sources_at() + granule] != 0; }
	// Returns how many accesses the whole grid is thought to have.
	uint64_t accesses(size_t granule) const { return word(counts_at(), granule) * one_of_; }

      private:
	static constexpr size_t result_bytes = 2 * sizeof(uint32_t);
	static constexpr size_t bytes_of_granule = 2 * sizeof(uint64_t) + 3;

	size_t bounds_at() const { return result_bytes; }
	size_t counts_at() const { return bounds_at() + sizeof(uint64_t) * granules_; }
	size_t reads_at() const { return counts_at() + sizeof(uint64_t) * granules_; }
	size_t writes_at() const { return reads_at() + granules_; }
	size_t sources_at() const { return writes_at() + granules_; }
	uint64_t word(size_t at, size_t granule) const;

	std::unique_ptr<char[]> bytes_;
	size_t granules_ = 0;
	uint32_t one_of_ = 1; // blocks runs
};

} // namespace het::rt
