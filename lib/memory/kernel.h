// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Begin and end of kernels.
#pragma once

#include "memory/array.h"

namespace het
{

enum class kernel_mode : uint8_t { read_only, write_only, read_write };

constexpr bool writes(kernel_mode m)
{
	return m != kernel_mode::read_only;
}

// @part: the bytes that the kernel uses, inside the array's user range. @whole: all of it; begin and end must agree.
int begin_kernel(array &a, unsigned device, range part, bool whole, kernel_mode mode);
// @event: null, or what the kernel's end is to be waited for with (already retained; released by the array).
int end_kernel(array &a, unsigned device, range part, bool whole, void *event);

// Takes the host's access to chunks down to @to; chunks that have less keep it. Lock held. 0 or GPUVM_EPROT.
int lower_access(array &a, layout::span s, access to);

// The device's copy becomes the only valid one. Lock held, no chunk of the span busy.
int give_to_device(array &a, layout::span s, unsigned device);

// Waits until no chunk of the span is busy.
void wait_until_idle(array &a, array_guard &g, layout::span s);

// Waits for the event of a kernel that was ended before it had finished, if there is one. 0 or GPUVM_EDEVALLOC.
int settle(array &a, array_guard &g);

// A kernel on some device may be writing the chunk now. Lock held.
bool being_written(const array &a, uint32_t c);

// A chunk's transfer is over: lets go of it and wakes who was turned away. Lock held.
void release_chunks(array &a, uint32_t first, uint32_t count);

} // namespace het
