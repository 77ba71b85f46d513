// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This stands for host memory that launches work on although it is not shown to the host meanwhile. To the memory core
// it is a device like others: who works there has the bytes, the host loses what is written there until it has ended,
// and other devices get them from it. But its copy of an array's body is the library's own second mapping of the same
// pages, so nothing is copied on the way to it or back. Its buffers hold the edges alone, in their places: memory of
// theirs that nobody touches takes none.
//
// It runs nothing, and is no device of the program's.
#pragma once

#include "dev/compute_device.h"

namespace het::rt
{

// Bytes of a buffer of its have become valid there, and are perhaps not what they were when they had been so before; or
// the buffer is gone. It may be called in any thread; locks of the memory core may be held.
using change_in_host_memory = void (*)(range in_buffer);

// Returns null if there is no memory.
std::unique_ptr<compute_device> make_alias_compute(change_in_host_memory changed);

} // namespace het::rt
