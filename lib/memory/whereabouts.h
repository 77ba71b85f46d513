// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Where the bytes of arrays are, for who chooses where to use them. An answer may be out of date when it is given.
#pragma once

#include "core/coherence.h"

namespace het
{

// Returns how many bytes of @r there are of which this copy (host_copy or that of a device) is not valid. Edges count
// as bytes of the host's.
size_t missing_bytes(range r, copyset copy);

// Returns how many bytes there are, edges aside, of which only the device's copy is valid.
size_t bytes_only_on(unsigned device);

} // namespace het
