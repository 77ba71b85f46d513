// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Touches memory where that may raise a signal.
#pragma once

#include <cstdint>

namespace selftest
{

// From now on touch() returns SIGBUS and SIGSEGV.
void catch_signals();
// Returns the signal that a touch gets, or 0 if none.
int touch(const uint8_t *p, bool write = false);

} // namespace selftest
