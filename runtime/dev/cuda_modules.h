// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes modules out of images. What the driver had to compile or link is kept for other processes (runtime/cache).
#pragma once

#include "dev/cuda_calls.h"
#include "fatbin/pick.h"

#include <het.h>
#include <span>

namespace het::rt
{

// There is so much room for the words of the driver's compiler and linker.
inline constexpr size_t cuda_log_size = 8192;

// Makes one module of them all, in the current context of a device with these abilities. Returns a code of the
// driver's; @log is what it said.
int load_cuda_images(const cuda_calls &cu, const fatbin::abilities &can, std::span<const het_image> images, char *log,
		     cu_module *module);

} // namespace het::rt
