// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bodies are registered with a device's API (device::pin), so that copies need no memory in between: lazily, once an
// array, from the first kernel on, until the last unlink.
#pragma once

#include "memory/array.h"

namespace het
{

// Copies between the body and that device need no memory in between.
inline bool is_pinned(const array &a, unsigned device)
{
	return (a.pinned.load(std::memory_order_acquire) & device_copy(device)) != 0;
}

// The lock is dropped meanwhile, if at all. The caller is a visitor of the array, or has the structure lock. While
// another thread registers the body it is not waited for: copies work without.
void pin_body(array &a, array_guard &g, unsigned device);
// Does the same for who can't do without, and waits for another thread, which needs nothing but the array's lock.
void pin_body_for_good(array &a, array_guard &g, unsigned device);
// The array is no longer known to anybody, and the caller holds the structure lock. Its pages may be gone already: the
// registration has kept them.
void unpin_body(array &a);

} // namespace het
