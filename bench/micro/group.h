// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that show how the threads of a group work together.
#pragma once

#include "micro/target.h"

#include <span>

namespace micro
{

constexpr uint32_t bank_words = 2048; // of local memory

extern const kernel banks_kernel; // numbers, out, stride, steps
extern const kernel ways_kernel;  // out, width, steps

// Takes numbers (of 8 KiB), sums, steps: each thread of a group sums words of local memory, so many bytes a step.
extern const kernel read_local;
constexpr uint32_t local_bytes_of_step = 64;

// Takes ring, out, steps, group, places: one thread of each group walks from a place of its own on.
extern const kernel stay_kernel;
constexpr uint32_t words_of_place = 16;
constexpr uint32_t first_place_of_group(uint32_t g, uint32_t places)
{
	return g * 97 % places * words_of_place;
}

// A way to change a word that several threads may share. Kernels take words, sharers, steps; the word of the first
// threads is to be 0 before.
struct change {
	const char *name;
	const kernel &run;
	bool local = false; // a group's threads share words of local memory
	// Returns whether @found may be what @sharers threads leave after so many steps each.
	bool (*right)(uint32_t found, uint32_t sharers, uint32_t steps);
	bool everywhere = true; // any device has the operation
};

std::span<const change> all_changes();

// Returns what thread @t of the second kernel must leave.
uint32_t end_of_way(uint32_t t, uint32_t width, uint32_t steps);

} // namespace micro
