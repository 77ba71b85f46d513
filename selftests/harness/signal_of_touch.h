// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These touches may raise a signal.
#pragma once

#include <cstdint>

namespace selftest
{

// From now on SIGBUS and SIGSEGV are what touch() returns.
void catch_signals();
// Returns the signal that a touch gets, or 0 if none.
int touch(const uint8_t *p, bool write = false);

} // namespace selftest
