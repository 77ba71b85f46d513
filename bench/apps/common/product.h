// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Matrices are multiplied on one machine (apps/matmul.cc) and on MPI's ranks (mpi/matmul.cc), by blocks that a group
// keeps in local memory.
#pragma once

#include "apps/common/app.h"

namespace bench
{

extern const kernel_text matmul_kernels;

// Sizes are multiples of this.
inline constexpr size_t product_tile = 16;

// Returns the work-items that compute so many columns and rows of the product.
het::work product_items(size_t columns, size_t rows);
// The kernel `multiply` as a function, which takes (a, b, product, n), and `multiply_part`, which takes (a, b, product,
// n, first, depth, fresh).
void multiply_on_host(const het_group *g, void *const *args);
void multiply_part_on_host(const het_group *g, void *const *args);

} // namespace bench
