// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays that glibc's malloc put into a mapping of their own need no edges: their first and last page belong to nobody
// else.
#pragma once

#include "core/range.h"

namespace het
{

// Looks whether malloc is glibc's. Init calls it once.
void open_whole_chunk();

// Returns the bytes around @user that are certainly used by nobody else: the malloc mapping, or @user itself.
range owned_bytes(range user);

} // namespace het
