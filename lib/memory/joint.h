// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that write one array on several devices at once, each bytes of its own (a launch that was split).
//
// Chunks and edges that one device writes whole need nothing of this: their kernels begin and end as all do. A chunk in
// which the bytes of one device end and those of another begin has no single owner. For it each begins as a joint
// writer (usage::joint), and the bracket stays open until all kernels have finished; then end_joint() ends them all.
// The host may be one of the writers: it touches its bytes as ever.
//
// An exact writer has what it writes, and nobody else has that. Its device gets these bytes, if the kernel reads them,
// and keeps them: the chunk is in fragments afterwards (memory/fragmented.h). Edges are the host's, and the bytes
// written there are copied.
//
// What a noted writer has of the array is what it may write, and no other launch has any of that; joint_notes tell what
// it has written. Its device gets valid copies of all, as for a reader; the host has them, too, until the end, as they
// were at the begin. In the end a chunk is the device's that alone wrote there, or the host's, into which the bytes
// that each has written are copied, these alone. Where so little is known that two devices' first and last bytes
// overlap, the bytes that differ from the host's are those that were written.
//
// The caller sees to it that no others use the bytes that they have. Others may have bytes in the same chunks and
// edges, as several launches may have that were put in order while their arrays were apart: joint writers of any
// launches get and leave their own bytes alone, and wait for one another never, as they stay open until their launch
// has ended; others' kernels wait for them, and they for those (brackets.cc), one kernel long.
#pragma once

#include "memory/brackets.h"
#include "memory/notes.h"

namespace het
{

// The caller holds the array's lock.
joint_parts cut_for_joint(const array &a, range bytes);
// Returns the range with the chunks and edges that it has a part of. The caller holds the array's lock.
range widen_for_joint(const array &a, range bytes);

// All joint writers of a launch end, each begun with begin_kernel(). All are exact if @notes is null. Returns 0 or
// GPUVM_EDEVALLOC, GPUVM_EHOSTPTR, GPUVM_ESALLOC.
int end_joint(array &a, const void *launch, joint_notes *notes = nullptr);

} // namespace het
