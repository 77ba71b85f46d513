// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Scans and Fourier transforms as examples of optimisation.
#pragma once

#include "micro/target.h"
#include "micro/test.h"

namespace micro
{

constexpr uint32_t words_of_scan_group = 1024, length_of_transform = 1024;

extern const kernel scan_pass;   // from, to, distance: a thread for each word
extern const kernel scan_groups; // from, to, sums: groups of 256 for 1024 words each, as in the next three
extern const kernel add_before;  // to, sums
extern const kernel sum_groups;  // from, sums
extern const kernel scan_behind; // from, to, sums

// Numbers are pairs of floats. The roots are those of 1, as many as a transform is long.
extern const kernel fourier_twos;   // from, to, roots, done: a thread for two numbers
extern const kernel fourier_fours;  // the same: a thread for four
extern const kernel fourier_groups; // from, to, roots, apart: groups of 256 for a transform each; apart is 32 or 33

// Measures both, stage by stage.
void transforms_in_stages(context &c);

} // namespace micro
