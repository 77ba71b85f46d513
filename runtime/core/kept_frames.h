// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Each device keeps the frames of the launch in place that was the last there, for the next one: with the same kernel
// and arguments that finds there what it does not have to fetch again, and what was learnt of its accesses. The memory
// goes before anything else does when others want it.
#pragma once

#include "core/granule_frames.h"

namespace het::rt
{

// Returns those of the device, which are the caller's until return_frames(), or null if somebody has them, or there is
// no memory.
granule_frames *borrow_frames(het_device &d);
void return_frames(het_device &d);
// Gives the memory back unless somebody has it. Returns whether there was any.
bool drop_idle_frames(het_device &d);

// These bytes of a buffer of runtime::host_memory have other values now, or will have. @but is null, or has them as
// well.
void forget_frames_but(range in_buffer, const granule_frames *but);
inline void forget_frames(range in_buffer)
{
	forget_frames_but(in_buffer, nullptr);
}

} // namespace het::rt
