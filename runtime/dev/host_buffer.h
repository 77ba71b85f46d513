// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Buffers in host memory, for devices that have no other. A buffer's address is that of its first byte.
#pragma once

#include <cstddef>

namespace het::rt
{

// Makes a buffer with one reference, of zeroes. Returns null if there is no memory. Of a sparse one little will be
// used.
void *make_host_buffer(size_t nbytes, bool is_sparse = false);
// Returns how many bytes it has at least room for.
size_t host_buffer_size(void *buffer);
void retain_host_buffer(void *buffer);
void drop_host_buffer(void *buffer);

} // namespace het::rt
