// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <cstdint>
#include <ctime>

namespace het
{

inline uint64_t now_ns()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

inline void sleep_ns(uint64_t ns)
{
	timespec t = {time_t(ns / 1000000000u), long(ns % 1000000000u)};
	nanosleep(&t, nullptr);
}

inline void cpu_pause()
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	asm volatile("yield");
#endif
}

} // namespace het
