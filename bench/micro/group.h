// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that show how the threads of a group work together.
#pragma once

#include "micro/target.h"

namespace micro
{

constexpr uint32_t bank_words = 2048; // of local memory

extern const kernel banks_kernel; // numbers, out, stride, steps
extern const kernel ways_kernel;  // out, width, steps
extern const kernel add_kernel;   // words, sharers, steps

// Returns what thread @t of the second kernel must leave.
uint32_t end_of_way(uint32_t t, uint32_t width, uint32_t steps);

} // namespace micro
