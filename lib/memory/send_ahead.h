// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the host writes between kernels is sent to the device ahead of the kernel that will need it, while the host goes
// on writing elsewhere (core/send_plan.h tells what it is done with).
//
// A thread of the library's does that. Under the array's lock it takes the pages down to read-only; then, without the
// lock, it copies; then the chunks that nobody has changed meanwhile count as valid on the device, and the next begin
// finds nothing to do there. They are not busy: a touch is served at once, and whatever changes one of them voids its
// part of the copy (array::sent). Only a begin on that device, or of a writer, waits for the piece that is under way,
// since the copy goes on though it is void. Nothing is sent while a kernel is open on the device, or writes anywhere;
// nor what is busy, failed, joint, in fragments or not the host's alone.
//
// The segments are watched: when a kernel ends, chunks that the host is expected to write stay read-only there
// (memory/foresee.h), and the first write to one makes the whole segment writable. Where such writes are not told of
// (kmod), nothing is sent.
//
// A page that a device or the system writes through a pin is written unseen, whatever it allows the host. So the
// program must promise that it has no such writes under way between kernels but where it has called gpuvm_host_begin()
// since the last one (GPUVM_SEND_AHEAD); what that call names is not sent.
#pragma once

#include "memory/array.h"
#include "memory/kernel_mode.h"
#include "memory/usage.h"

namespace het
{

struct memory_context;

// All but the last three are called with the array's lock held.

// The host writes to the chunk, and can do so from now on.
void note_host_write(array &a, uint32_t c);
// Somebody will write to them without being seen, until the next begin. False says that some copy is still under way.
bool keep_from_sending(array &a, layout::span s);
// The first write to the chunk is to be seen: it is to be no more than readable after a kernel.
bool is_write_watched(const array &a, uint32_t c);
// The chunks that become writable along with this one.
layout::span opens_with(const array &a, uint32_t c);

// Waits until nothing is on its way to any of the devices. With a bracket open there, nothing new is sent. A writer
// waits for all: what it writes may come home over bytes that are still being read.
void wait_for_sent(array &a, array_guard &g, copyset devices);
// The same; nothing is sent there any longer before a kernel has begun there.
void stop_sending(array &a, array_guard &g, unsigned device);
// A kernel begins on all of the array, and its chunks are as the host has left them: learns what was of use.
void note_need(array &a, const usage &u, kernel_mode mode);

// Sends one piece of what the host is done with. False says that there is nothing to send now. The lock is dropped
// meanwhile.
bool send_next(array &a, array_guard &g);

// What is known of the array goes with its chunks. The caller holds the array's lock, or it is not live.
void forget_sending(array &a);

// The thread that sends. Init calls it once, if anything is to be sent at all. It is false if no thread could be had.
bool start_sender(memory_context &context);

} // namespace het
