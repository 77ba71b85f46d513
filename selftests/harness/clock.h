// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <cstdint>
#include <ctime>

namespace selftest
{

inline uint64_t now_ns()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

inline double seconds_since(uint64_t start_ns)
{
	return double(now_ns() - start_ns) * 1e-9;
}

inline void sleep_ms(unsigned ms)
{
	timespec t = {ms / 1000, long(ms % 1000) * 1000000};
	while (nanosleep(&t, &t)) {
	}
}

// Waits until @done() holds. What never comes is ended with the case, when its allowance is over.
template <class F> void wait_until(F done)
{
	while (!done())
		sleep_ms(1);
}

} // namespace selftest
