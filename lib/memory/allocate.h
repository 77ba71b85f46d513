// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// gpuvm_malloc(): memory that lies in the page source from the start.
#pragma once

#include "memory/library.h"

namespace het
{

struct block {
	range pages;
	part in_source;
	size_t chunk; // bytes that arrays in it should have a chunk, 0: by their size
	size_t huge;  // bytes in huge pages
	void *fork_copy;
};

void *allocate_block(size_t n, unsigned device, bool huge);
// 0, GPUVM_EHOSTPTR or GPUVM_ESTATE.
int free_block(void *p);

// Bytes of all blocks that are in huge pages.
size_t huge_bytes();

// The block that contains all of @r, or null. Structure lock held.
block *block_of(range r);

// Calls f(block &) for each. Structure lock held.
void for_each_block(void (*f)(block &));

} // namespace het
