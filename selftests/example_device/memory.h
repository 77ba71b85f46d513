// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A buffer of the example is a handle: where its bytes lie is nobody's business but the device's.
#pragma once

#include "dev/device.h"

#include <memory>

namespace example
{

// Makes a buffer with one reference. Returns false if there is no memory.
bool make_buffer(size_t nbytes, void **buffer);
void retain_buffer(void *buffer);
void drop_buffer(void *buffer);
std::byte *bytes_of(void *buffer);

// The memory core reaches the buffers through this device.
std::unique_ptr<het::device> make_memory();

} // namespace example
