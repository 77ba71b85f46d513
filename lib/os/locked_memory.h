// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <cstdint>

namespace het
{

// Returns how many bytes this process may lock (RLIMIT_MEMLOCK), UINT64_MAX if nothing binds it.
uint64_t lockable_bytes();

} // namespace het
