// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Plans how an array lies in memory: its whole pages (body), what lies outside them (edges), its chunks. This is pure.
#pragma once

#include "core/range.h"

namespace het
{

struct layout {
	range user;           // the bytes that the program linked
	range body;           // whole pages that nobody else uses; may reach past the user range, may be empty
	range head, tail;     // bytes of the user range before and after the body; may be empty
	unsigned chunk_shift; // log2 of the bytes a chunk
	uint32_t chunks;
	size_t page; // bytes a page

	bool has_edges() const { return !head.empty() || !tail.empty(); }
	uint32_t chunk_at(uintptr_t a) const { return uint32_t((a - body.begin) >> chunk_shift); }
	range chunk_range(uint32_t first, uint32_t count) const;
	// Returns what of it the program linked.
	range bytes_of(uint32_t first, uint32_t count = 1) const { return intersect(chunk_range(first, count), user); }
	// Chunks [first, last) hold bytes of @r; the span is empty if none do.
	struct span {
		uint32_t first, last;
	};
	span chunks_of(range r) const;
	// Returns all bytes that belong to the array: what the address index is asked with.
	range extent() const;
};

// @owned are the bytes around @user that are certainly not used by anybody else (at least @user itself). A page has
// @page bytes. A chunk has @chunk bytes, a power of two of at least a page; with 0 its size is chosen by the array's.
layout plan_layout(range user, range owned, size_t page, size_t chunk);

// Makes a layout without a body: everything is an edge.
layout plan_copied(range user, size_t page);

} // namespace het
