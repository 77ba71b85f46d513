// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the host writes anew before each kernel that reads it (core/foresight.h) stays writable when such a kernel
// begins.
//
// Otherwise the pages would be taken down to read-only at each begin, and each write would be caught once. A chunk that
// is expected to be written is sent as a writer's is: this kernel has its bytes, but the device's copy does not count,
// and the next begin sends it again, whatever the host did. So a wrong guess costs a copy.
//
// In strict mode a write of the host's to other bytes of the launch might meet the copy; there it is done for those who
// have promised to touch nothing (usage::promised).
#pragma once

#include "memory/history.h"
#include "memory/usage.h"

namespace het
{

// A kernel begins to read. It is null if nothing is expected; else expects() is `write` for the chunks that are to stay
// as they are. The array's lock is held.
const array_history *expect_rewrites(array &a, const usage &u);

// A begin of a reader passes on the fast path. It needs no lock.
inline void note_unseen_begin(array &a)
{
	a.unseen_begins.fetch_add(1, std::memory_order_relaxed);
}

} // namespace het
