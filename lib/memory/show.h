// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Pages whose bytes are in the alias are shown here.
#pragma once

#include "memory/host_touch.h"

namespace het
{

// What is served along with a touch travels in pieces of this size: large enough for bandwidth, small enough to
// overlap.
inline constexpr size_t piece_bytes = 1 << 20;

// Works as trap::admit(). Where the chunks are busy it may be called without the lock.
int show_pages(const array &a, range r, access to);
// Takes what show_pages() has answered for pages whose first are those of chunk @c. It is false if they can't be shown
// without splitting a mapping, and the process may have no more. The caller holds the array's lock.
bool take_answer(array &a, uint32_t c, range r, int err);
// Pages of the chunk can't be shown, so touches get SIGBUS. The caller holds the array's lock.
void fail_unshown(array &a, uint32_t c, int err);

// Maps pages around, from the touched one on.
verdict show(host_touch &h);
// Serves where take_answer() says false: the whole array comes home and is shown as one mapping.
verdict show_whole(host_touch &h);

} // namespace het
