// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads what apart.h's text says for one launch: sums with numbers for all but ids and counters.
#pragma once

#include "fatbin/apart.h"

namespace het::fatbin
{

// Variables are ids of groups, ids in groups, and counters. Global ids are made of the former.
inline constexpr unsigned first_local_id = 3, first_counter = 6, most_variables = first_counter + most_counters;
// Products of these with each other, and of a number of 62 bits with a factor, fit into 128 bits many times over.
inline constexpr int64_t largest_factor = int64_t{1} << 40, largest_constant = int64_t{1} << 60;

struct linear {
	int64_t constant;
	int64_t factor[most_variables];
};

struct need {
	linear sum;
	int64_t low, high;
};

struct fact {
	linear sum;
	uint32_t needs; // a bit for each
};

struct apart_access {
	uint32_t argument;
	bool writes;
	int64_t length;
	linear from;
	uint32_t facts, needs;
};

struct apart_rules {
	need needs[most_statements];
	fact facts[most_statements];
	apart_access accesses[most_accesses];
	unsigned nneeds, nfacts, naccesses;
};

// Returns false if it is no such text, or a number is not known or too large.
bool read_rules(const char *text, const launch_groups &launch, std::span<const known_number> arguments,
		apart_rules &rules);

} // namespace het::fatbin
