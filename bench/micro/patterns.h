// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that access memory in the ways of the paper's later figures: gather and scatter, strides, groups of threads
// that stay together, and places with more or less locality.
#pragma once

#include "micro/target.h"

namespace micro
{

extern const kernel gather_kernel;   // from, to, mask, shift, threads, first, rounds, salt
extern const kernel scatter_kernel;  // the same
extern const kernel strided_kernel;  // from, sums, mask, step, threads, first, rounds
extern const kernel link_groups;     // words, n, threads, group, shift
extern const kernel coherent_kernel; // words, out, mask, group, together, steps
extern const kernel apex_kernel;     // from, places, sums, places_mask, length, threads, first, rounds

extern const kernel located_kernel; // the same, and group

// Brings the numbers up to @mask, which is a power of two less one, into another order.
constexpr uint32_t spread(uint32_t i, uint32_t mask, uint32_t shift)
{
	i = (i * 0x9e3779b1) & mask;
	i ^= i >> shift;
	i = (i * 0x85ebca6b) & mask;
	return i ^ (i >> shift);
}

// Returns the shift that spreads best up to @mask: half of its bits.
uint32_t shift_of(uint32_t mask);

// Returns the first word of the group from which thread @t starts, and which word of a group it reads (listing 3 of the
// paper).
uint32_t start_of(uint32_t t, uint32_t group, uint32_t mask);
uint32_t offset_of(uint32_t t, uint32_t group, uint32_t together);

} // namespace micro
