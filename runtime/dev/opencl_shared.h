// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes memory objects over shared virtual memory, and ends any memory object.
//
// NVIDIA's driver (580) can't have such memory allocated and freed on several threads at once: clSVMAlloc gives null
// now and then, or a later copy crashes. So one thread of the process at a time does either, for whatever device and
// driver. The driver tells by a callback that a block is needed no longer, maybe from a thread and with locks of its
// own: it is freed with the next call of these.
#pragma once

#include "dev/opencl_calls.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace het::rt
{

// Returns null, with the reason in *error, if it can't. *@gone counts the blocks that are needed no longer.
cl_mem make_shared_buffer(const opencl_calls &cl, cl_context context, size_t nbytes, std::atomic<uint64_t> &gone,
			  cl_int *error);

// Releases the caller's reference, to any memory object.
void release_buffer(const opencl_calls &cl, cl_mem buffer);

} // namespace het::rt
