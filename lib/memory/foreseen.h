// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a kernel that has ended left to come home behind it: in the hands of whoever brings it.
#pragma once

#include "core/coherence.h"

#include <span>

namespace het
{

struct array;

// Neighbours that take the same step (foresee_read or foresee_write).
struct foreseen_run {
	uint32_t first, count;
	event how;
};

// What commands that have not finished are about to do with bytes of the kernel's: those to be written are left alone,
// and of those to be read nobody loses a copy.
struct bytes_soon {
	std::span<const range> written = {}, read = {};

	static bool has_any(std::span<const range> of, range r)
	{
		for (range one : of) {
			if (one.overlaps(r))
				return true;
		}
		return false;
	}
};

// Chunks of one kernel. With the promise (usage::promised) they are reserved: busy until bring_foreseen(), and the
// array has one visitor more. Otherwise nobody waits for them: prefetch() takes those that are still as the kernel has
// left them, and the array may be gone by then.
struct foreseen_chunks {
	array *in = nullptr; // null: there are none
	foreseen_run *runs = nullptr;
	uint32_t count = 0;
	unsigned device = 0;
	bool reserved = false;
	// These say what the list is about, if it is not reserved: array::life, array::queued_ends, foresight::ends().
	uint32_t life = 0, queued_ends = 0, end = 0;
	uint32_t next = 0; // runs before this one are done with; of this one what was taken is cut off

	std::span<const foreseen_run> all() const { return {runs, count}; }
};

} // namespace het
