// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernels of the examples of optimisation.
#pragma once

#include "micro/target.h"

namespace micro
{

extern const kernel reduce_each;   // from, sum: a thread for each word
extern const kernel reduce_rows;   // from, sum, n
extern const kernel reduce_groups; // from, sum, n: a multiple of 4; groups of 256

extern const kernel transpose_each;  // from, to, n: a thread for each of n x n words
extern const kernel transpose_tiles; // from, to, n, row: 256 threads for each 32 x 32 words; row is 32 or 33

extern const kernel product_each;   // a, b, c, n: a thread for each of n x n elements
extern const kernel product_tiles;  // the same, n a multiple of 16; groups of 256
extern const kernel product_blocks; // a, b, c, n: 256 threads for each 128 x 128 elements
extern const kernel product_ahead;  // the same

} // namespace micro
