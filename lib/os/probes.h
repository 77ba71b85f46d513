// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Defines USDT probes (provider "libhet"): each is a nop until bpftrace or perf attaches. Documentation/tracing.rst
// lists them.
#pragma once

#ifdef HET_NO_SDT
#define HET_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#else
#include <sys/sdt.h>
#define HET_PROBE3(name, a, b, c) DTRACE_PROBE3(libhet, name, a, b, c)
#endif
