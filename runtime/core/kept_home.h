// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What slices have written stays on their device when the launch is over, as long as nobody needs it elsewhere, and is
// in no other place (evict/kept_blocks.h). The memory core knows nothing of it: to that runtime::host_memory has the
// bytes, as after any launch in slices. So whoever needs them asks that device, and it gets them from here first:
// touches, kernels on other devices, exact copies, unlink and fork alike. If the device that has them fails, they are
// lost as the bytes of any device that has the only copy.
//
// Others that copy from host memory, or work there, without the memory core's asking are launches in slices and in
// place: those have what is away on other devices come home before they begin.
#pragma once

#include "core/ranges.h"
#include "core/runtime.h"

namespace het::rt
{

// Nothing that host memory counts as having is elsewhere, for now.
bool is_all_home();
// Copies what is away of these bytes of the buffer of runtime::host_memory at @array to where they are at home, @to.
// @lane is the caller's own. Returns 0, or a code of the memory core's. Any thread may call it, a resolver too.
int bring_away(uintptr_t array, range in_buffer, char *to, unsigned lane);
// These bytes have changed at home, where they are at @now, and forget_kept() was told so: what lies amid bytes that
// are away is changed there, and what does so no longer is forgotten. As above.
int change_away(range in_buffer, char *now, unsigned lane);

// What is away of a use's bytes on devices but for @but comes home. A command that is about to begin calls it, before
// it opens anything, and waits for commands in flight. Returns 0 or a code.
int bring_use(const range_use &u, const het_device *but);

// Of the device comes home what keeps memory that others want. Returns whether any has come.
bool bring_to_go(het_device &d);
// What many launches have not used comes home, as far as it can now.
void bring_old(het_device &d);

} // namespace het::rt
