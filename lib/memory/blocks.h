// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The blocks that gpuvm_malloc() has given out, by their addresses.
#pragma once

#include "memory/address_index.h"
#include "memory/space.h"

namespace het
{

struct library;

struct block {
	range pages;
	part in_source;
	size_t chunk; // bytes that arrays in it should have a chunk, 0: by their size
	size_t huge;  // bytes in huge pages
	void *fork_copy;
};

// Bytes of all blocks that are in huge pages. Takes the structure lock.
size_t huge_bytes(library &l);

// The block that contains all of @r, or null. Structure lock held.
block *block_of(const library &l, range r);

} // namespace het
