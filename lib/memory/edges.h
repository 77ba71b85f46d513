// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The bytes of an array outside its body. Other people's data lies in the same pages, so they are never
// trapped: they are compared with a snapshot at begin and copied back at the end of a kernel that wrote.
// An array that is copied whole (GPUVM_COPY) is all edge, without a snapshot: it always travels.
#pragma once

#include "memory/brackets.h"

namespace het
{

// Allocates the snapshot's memory, at link. It is false if there is no memory.
bool make_edges(array &a);
void drop_edges(array &a);

// Both treat only the edges that overlap the part. Makes the device's edges those of the host. Of one that a kernel
// there writes already the bytes of the part alone travel: those are nobody else's, and the host may have written them
// since that kernel began. @writes: the kernel that begins writes. Returns 0, GPUVM_EDEVALLOC, or GPUVM_ESTATE without
// a message if bytes would have to travel and none may (usage::behind).
int edges_to_device(array &a, array_guard &g, const usage &u, bool writes);
// The kernel that begins overwrites them.
void leave_edges_to_writer(array &a, array_guard &g, unsigned device);
// Makes the host's edges those of the device, for the bytes of @part alone: the host may have written the others. No
// other device's edges are valid any longer.
int edges_to_host(array &a, array_guard &g, unsigned device, range part);

// Does so when a kernel has ended. If it fails the device owes the bytes: every begin has them first, save one that
// overwrites them all. *owed is false if there was no memory to note that.
int edges_of_ended(array &a, array_guard &g, unsigned device, range part, bool *owed);
// An end of a kernel on @part has failed so.
bool is_owed(const array &a, unsigned device, range part);
// Tries again to get what the devices owe. Returns 0 or GPUVM_EDEVALLOC.
int collect_edges(array &a, array_guard &g, copyset devices);
// What they owe counts no longer. False says that they owe nothing.
bool forgive_edges(array &a, array_guard &g, copyset devices);

// Does for edges what forget_writers() in memory/chunks.h does for chunks. The caller holds the array's lock.
void forget_edge_writers(array &a);
// The device is about to be unlinked.
void forget_edges_of(array &a, array_guard &g, unsigned device);

} // namespace het
