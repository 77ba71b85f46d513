// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The benchmarks tell time as double, in microseconds.
#pragma once

#include <ctime>

namespace bench
{

inline double now_us()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return double(t.tv_sec) * 1e6 + double(t.tv_nsec) * 1e-3;
}

// Splits running time into consecutive laps.
class stopwatch
{
      public:
	stopwatch() : last_(now_us()) {}
	// Returns the time since the last lap or the construction.
	double lap()
	{
		double now = now_us();
		double passed = now - last_;
		last_ = now;
		return passed;
	}

      private:
	double last_;
};

} // namespace bench
