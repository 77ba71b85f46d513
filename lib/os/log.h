// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Diagnostics go by write(2) alone: there is no stdio lock and no allocation, so a resolver may call this.
#pragma once

namespace het
{

// Remembers the text as this thread's last error, writes "libhet: <text>\n" to stderr unless
// GPUVM_QUIET is set, and returns @code, so that callers can say: return fail(GPUVM_EARG, "...", ...).
int fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Says without a code what the user should know.
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// Says the process's last words, whatever GPUVM_QUIET says, and calls abort().
[[noreturn]] void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// Says it as warn() does, under GPUVM_VERBOSE only.
void inform(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// Returns the text of this thread's last fail(), or "" if there was none since it was forgotten.
const char *last_error();
void forget_last_error();

} // namespace het
