// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A target region is launched as so many teams of so many threads. GCC's code has a warp for each thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace het_omp
{

constexpr size_t lanes = 32;

struct geometry {
	size_t teams, threads; // 0 if nothing asks for a number
};

// Returns what the program asks for.
geometry asked_geometry(void *const *arguments);

// What a device has, and a function takes of it.
struct capacity {
	uint64_t group_size; // most work-items of a team
	uint32_t registers, unit_registers;
	uint32_t units;
};

// Returns what is launched: as GCC's own plug-in does it, no more teams than the device can be expected to hold at
// once, since a team takes its share of a loop by the number of teams, and 8 threads where nothing else is asked for.
geometry fit(geometry asked, const capacity &c);

} // namespace het_omp
