// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Defines which signals threads of the library have blocked, as the kernel's mask.
#pragma once

#include <cstdint>

namespace het
{

// The C library's setuid() and its like send this signal to every thread, and wait until all have taken on the new
// identity. No header names it. Its handler takes no lock of ours.
inline constexpr unsigned sigsetxid = 33;

// A thread that had that one blocked for life would let a program's setuid() wait for ever.
inline constexpr uint64_t all_signals = ~(uint64_t{1} << (sigsetxid - 1));

} // namespace het
