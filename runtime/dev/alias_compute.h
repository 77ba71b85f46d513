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

// Returns null if there is no memory.
std::unique_ptr<compute_device> make_alias_compute();

} // namespace het::rt
