// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Brings the texels of images to where commands use them. The runtime orders what is enqueued here, and the commands,
// by what they read and write, so nobody waits.
#pragma once

#include "command.h"
#include "memory.h"

#include <mutex>

namespace hetcl
{

// Who holds this enqueues all that a command needs, the command, and notes what it has written: in this order the
// states of images change. Nothing is waited for meanwhile.
std::unique_lock<std::mutex> order_images();

// Makes the texture of a device, unless there is one. It waits for memory if it must, so the images are not to be in
// order meanwhile. Returns 0 or a code of the runtime's.
int make_texture(_cl_mem &m, het_device *d);

// These make the command wait for what brings the texels. They return 0 or a code of the runtime's.
int bring_home(command &c, _cl_mem &m);
// The texture was made.
int bring_to(command &c, _cl_mem &m, het_device *d, het_texture **texture);

// The command that was enqueued writes texels in one place, so they are stale in all others.
void note_written_at_home(_cl_mem &m);
int note_written_on(_cl_mem &m, het_device *d, het_queue *q);

// The launch that was enqueued uses the texture until its event has ended.
void note_used_on(_cl_mem &m, het_device *d, het_event *launch);

// The host has written an object that was mapped, which is over when the event ends. It puts the images into order.
void note_unmapped(_cl_mem &m, het_event *unmap);

// Whoever has the last use of an image sees to it that commands which write all of the object's bytes come after
// those that use its textures.
void end_textures(const _cl_mem &m);

// Returns whether a device has the texels.
bool is_current_on(_cl_mem &m, het_device *d);

} // namespace hetcl
