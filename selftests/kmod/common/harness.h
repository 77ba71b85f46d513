/* SPDX-License-Identifier: GPL-2.0 */
/* This is kselftest's harness, with the patience that emulated and debugging kernels need. */
#ifndef GPUVM_SELFTEST_HARNESS_H
#define GPUVM_SELFTEST_HARNESS_H

#include <kselftest_harness.h>

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 3600 /* seconds; the guest ends sooner what hangs, by processor time */

#define SOON 30000 /* after so many ms what must happen has happened */
#define LONG 100   /* after so many ms what must not happen would have happened */

#endif
