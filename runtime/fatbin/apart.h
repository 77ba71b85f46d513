// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells whether the groups of one launch use different bytes, by what the compiler's analysis found of each access: its
// address as a sum, and what is known wherever it runs. The sums have arguments and sizes in them, which are numbers at
// a launch. No system call is made.
//
// A text has statements with "; " between them. The first letter says which it is; all are numbered from 0, each letter
// for itself:
//
//   R s32 SUM          a need: the sum is a number of so many bits, signed (s) or not (u)
//   F SUM r0 r3        a fact: the sum is not negative, if these needs are met
//   A 2 w 4 SUM f0 r1  argument 2 is written (r: read), 4 bytes from SUM on, where these facts hold and these needs
//                      must be met
//
// SUM: +4*a3*x1+4*x0-8. Symbols: a3 an argument as a signed number; S0 sizes, L0 groups' sizes, N0 numbers of groups,
// O0 offsets; at most one of these in a product: x0 global ids, g0 groups' ids, i0 ids in a group; k0 anything from 0
// on, such as a loop's turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace het::fatbin
{

struct launch_groups {
	uint64_t size[3], local[3], offset[3];
};

struct known_number {
	bool is_known;
	int64_t value;
};

// One kernel has no more counters, and no more statements of each kind.
inline constexpr unsigned most_counters = 10, most_statements = 32, most_accesses = 24, most_arguments = 64;

// Returns whether it is such a text, for a kernel of so many arguments; "" is one.
bool is_apart_text(const char *text, uint32_t narguments);

enum class groups_are : uint8_t {
	apart,    // no two groups of the launch use the same byte of an argument, if one of them writes it
	unknown,  // this is not known, or that they are not apart
	too_many, // it has too many statements for the time that a launch has: no analysis has written it
};
groups_are keeps_groups_apart(const char *text, const launch_groups &launch, std::span<const known_number> arguments);

} // namespace het::fatbin
