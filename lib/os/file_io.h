// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Call pread(2) and pwrite(2) until all is done. They return false if that can't be.
#pragma once

#include <cstddef>
#include <sys/types.h>

namespace het
{

bool read_all(int fd, void *to, size_t n, off_t at);
bool write_all(int fd, const void *from, size_t n, off_t at);

} // namespace het
