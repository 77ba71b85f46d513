// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These move an array's body between private memory of the program's and the page source, under the program's hands.
// The caller holds the structure lock throughout; the array is held (touches wait), its lock is not taken.
#pragma once

#include "memory/array.h"

namespace het
{

// Moves the body from private memory to the page source, with its contents. Returns 0, GPUVM_EPROT or GPUVM_ESALLOC,
// with everything as before.
int adopt(array &a);

// Starts the watch over a body that lies in the page source, with all its pages shown. Returns 0 or -errno.
int watch_body(array &a);

// Moves the body from the page source to private memory. With @discard the memory is about to be freed, and only the
// first and last page (which may hold malloc's own words) keep their contents. With @force it becomes, where nothing
// else works, a private mapping of a file, which can't be adopted again. Returns 0 or GPUVM_ESALLOC, with everything
// as before.
int give_back(array &a, bool discard, bool force);

// Touches wait from now on, or no longer. hold_array() revokes the body; the caller holds the array's lock.
int hold_array(array &a);
void release_array(array &a);
// Does so for an array that is gone: who finds it from now on finds it dead, whatever is freed next.
void retire_array(array &a);

} // namespace het
