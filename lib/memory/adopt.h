// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Moving an array's body between private memory of the program's and the page source, under the program's hands.
// Structure lock held throughout; the array is held (touches wait), its lock is not taken.
#pragma once

#include "memory/array.h"

namespace het
{

// Private memory → page source, contents kept. 0, GPUVM_EPROT or GPUVM_ESALLOC, with everything as before.
int adopt(array &a);

// Starts the watch over a body that lies in the page source, with all its pages shown. 0 or -errno.
int watch_body(array &a);

// Memory file → private memory. @discard: the memory is about to be freed, only the first and last page (which may hold
// malloc's own words) keep their contents. @force: where nothing else works, as a private mapping of the file, which
// can't be adopted again. 0 or GPUVM_ESALLOC, with everything as before.
int give_back(array &a, bool discard, bool force);

// Touches wait from now on, or no longer. hold_array() revokes the body; lock held.
int hold_array(array &a);
void release_array(array &a);
// The same for an array that is gone: who finds it from now on finds it dead, whatever is freed next.
void retire_array(array &a);

} // namespace het
