// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// gpuvm_malloc(): memory that lies in the page source from the start.
#pragma once

#include <cstddef>

namespace het
{

void *allocate_block(size_t n, unsigned device, bool huge);
// Returns 0, GPUVM_EHOSTPTR or GPUVM_ESTATE.
int free_block(void *p);

} // namespace het
