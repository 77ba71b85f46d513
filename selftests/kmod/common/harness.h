/* SPDX-License-Identifier: GPL-2.0 */
/* kselftest's harness, with the patience that emulated and debugging kernels need. */
#ifndef GPUVM_SELFTEST_HARNESS_H
#define GPUVM_SELFTEST_HARNESS_H

#include <kselftest_harness.h>

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 3600 /* seconds a test; the guest ends sooner what hangs, by processor time */

#define SOON 30000 /* ms in which what must happen has happened */
#define LONG 100   /* ms in which what must not happen would have happened */

#endif
