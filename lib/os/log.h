// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Diagnostics. write(2) only: no stdio lock, no allocation, callable from a resolver.
#pragma once

namespace het
{

// Remembers the text as this thread's last error, writes "libhet: <text>\n" to stderr unless
// GPUVM_QUIET is set, and returns @code, so that callers can say: return fail(GPUVM_EARG, "...", ...).
int fail(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// The same without a code: something the user should know.
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// The same whatever GPUVM_QUIET says, as the process's last words: abort().
[[noreturn]] void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// As warn(), under GPUVM_VERBOSE only.
void inform(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// Text of this thread's last fail(); "" if none since it was forgotten.
const char *last_error();
void forget_last_error();

} // namespace het
