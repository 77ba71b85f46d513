// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Begin and end of kernels.
#pragma once

#include "memory/array.h"
#include "memory/brackets.h"
#include "memory/foresee.h"
#include "memory/kernel_mode.h"
#include "memory/notes.h"
#include "memory/pending.h"

namespace het
{

// Begin and end must agree about the usage.
int begin_kernel(array &a, const usage &u, kernel_mode mode);
// Does the same for a caller who visits the array and has found it linked on the device.
int begin_visited(array &a, array_guard &g, const usage &u, kernel_mode mode);
// A kernel that began by parts is about to use @part of what it has. What a begin does for all that is done for those
// chunks that have bytes of it: from now on the host has lost those of a writer, and the device has what it reads
// there. It may be asked for the same bytes again, and stays open if this fails. Of other chunks the host has what it
// had, but that it waits, in strict mode, once it is caught; and at the end the device gets none that it does not have.
// Nobody else may write the kernel's bytes while it is open. Returns as begin_kernel().
//
// To the host such a kernel is one step all the same, done when its last part begins. What the host did before, to
// chunks that were its own still, the kernel finds as it left them; what the kernel has got it can't change any more.
int begin_part(array &a, const usage &u, kernel_mode mode, range part);
// @pending is null, or what the kernel's end is to be waited for with; it is taken in any case. @notes is null, or
// tells of a kernel that began as read_write_noted. Chunks without a write stay as they are, as after a reader. With
// notes nothing comes home, with @pending what is foreseen when that has ended (memory/event_watch.h), otherwise what
// @how lets come.
int end_kernel(array &a, const usage &u, pending_kernel *pending, write_notes *notes = nullptr,
	       const homeward &how = {.may = true});

// The kernel has begun and will not end. With @ran it may have written something, so the device's copy is not valid any
// longer. Returns 0, GPUVM_EPROT, or GPUVM_EDEVALLOC if there was no other copy; of bytes that the kernel was to
// overwrite nobody needs one.
int abandon_kernel(array &a, const usage &u, kernel_mode mode, bool ran);

} // namespace het
