// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that read words through textures.
#pragma once

#include "micro/stream.h"

namespace micro
{

extern const kernel chase_texture; // the same as chase_global, but that the ring is a texture

// Takes from (a texture), sums, mask, threads, first, rounds: reads what stream_kernel() would.
const kernel &texture_kernel(order o);

} // namespace micro
