// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Computes XXH64 with seed 0, as the xxHash specification describes it: an image of some MiB must not take longer to
// check than to find, and table-driven CRCs take five times as long. Debian's libxxhash is not used, as the library
// needs nothing but a compiler to build.
#pragma once

#include "fatbin/bytes.h"

namespace het::fatbin
{

uint64_t checksum(bytes of);

} // namespace het::fatbin
