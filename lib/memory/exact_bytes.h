// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies bytes of arrays from or to other memory, after which all is where it was before.
#pragma once

#include "core/range.h"

namespace het
{

// Read or write the bytes of the program's own in @r, whatever of them is linked. No kernel that uses these bytes is
// open (others may be, in the same chunks); @other is memory of no array. Return 0 or GPUVM_EDEVALLOC. A device that
// could not be written has these bytes no more, unless nobody else has them.
int read_exactly(range r, char *other);
int write_exactly(range r, const char *other);

} // namespace het
