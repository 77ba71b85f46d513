// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Showing of pages whose bytes are in the alias.
#pragma once

#include "memory/host_touch.h"

namespace het
{

// Pieces of what is served along with a touch: large enough for bandwidth, small enough to overlap.
inline constexpr size_t piece_bytes = 1 << 20;

// As trap::admit(). Without the lock too, where the chunks are busy.
int show_pages(const array &a, range r, access to);
// What show_pages() has answered for pages whose first are those of chunk @c. False: not without splitting a mapping,
// and the process may have no more. Lock held.
bool take_answer(array &a, uint32_t c, range r, int err);
// Pages of the chunk can't be shown: SIGBUS. Lock held.
void fail_unshown(array &a, uint32_t c, int err);

// Maps around, from the touched page on.
verdict show(host_touch &h);
// Where take_answer() says false: the whole array comes home and is shown as one mapping.
verdict show_whole(host_touch &h);

} // namespace het
