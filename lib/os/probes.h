// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// USDT probes (provider "libhet"): a nop each until bpftrace or perf attaches. Documentation/tracing.rst lists them.
#pragma once

#ifdef HET_NO_SDT
#define HET_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#else
#include <sys/sdt.h>
#define HET_PROBE3(name, a, b, c) DTRACE_PROBE3(libhet, name, a, b, c)
#endif
