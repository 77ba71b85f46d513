// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Device buffers that lie in the program's address space, which those of host devices do. Whoever reads or writes one for the
// library must not meet a touch that waits for just that, so no byte of one may be an array's. Structure lock held.
#pragma once

#include "core/range.h"

namespace het
{

struct array;

// 0; GPUVM_EARG with a sentence: the memory is an array's, or about to be (@user).
int check_host_buffer(range buffer, range user);
// 0; GPUVM_EARG with a sentence: a part of memory that is to become an array is a buffer.
int check_against_host_buffers(range array);

// @buffer may be empty: then there is nothing to know. False: out of memory.
bool add_host_buffer(const array &a, unsigned device, range buffer);
void remove_host_buffer(const array &a, unsigned device);

} // namespace het
