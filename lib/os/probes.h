// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Defines USDT probes (provider "libhet"): each is a nop until bpftrace or perf attaches. Documentation/tracing.rst
// lists them.
#pragma once

#ifdef HET_NO_SDT
#define HET_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#define HET_PROBE4(name, a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d))
#else
#include <sys/sdt.h>
#define HET_PROBE3(name, a, b, c) DTRACE_PROBE3(libhet, name, a, b, c)
#define HET_PROBE4(name, a, b, c, d) DTRACE_PROBE4(libhet, name, a, b, c, d)
#endif
