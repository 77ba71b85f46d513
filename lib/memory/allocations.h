// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The allocations that gpuvm_malloc() has given out, by their addresses.
#pragma once

#include "memory/address_index.h"
#include "memory/space.h"

namespace het
{

struct library;

struct allocation {
	range pages;
	part in_source;
	size_t chunk; // bytes that arrays in it should have a chunk, 0: by their size
	size_t huge;  // bytes in huge pages
	void *fork_copy;
};

// Bytes of all allocations that are in huge pages. Takes the structure lock.
size_t huge_bytes(library &l);

// The allocation that contains all of @r, or null. The caller holds the structure lock.
allocation *allocation_of(const library &l, range r);

} // namespace het
