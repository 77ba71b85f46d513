// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is kept on devices between launches in slices (core/kept_memory.h) goes: others want the memory, or the bytes
// have changed.
#pragma once

#include "core/runtime.h"

namespace het::rt
{

// Gives so many bytes back, or what there is, for which what is nowhere else comes home. Returns whether that was any.
// The lock of linking is held.
bool give_back_kept(het_device &d, uint64_t nbytes);

// Bytes of a buffer of runtime::host_memory have another value than before, or will have. A device that is named keeps
// its own all the same.
void forget_kept(range in_buffer, const het_device *but = nullptr);

} // namespace het::rt
