// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/load.h"

#include "common/clock.h"

#include <cerrno>

namespace bench
{

namespace
{

constexpr double work_us = 10;
constexpr long sleep_ns = 1000000;

void spin(double us)
{
	for (double end = now_us() + us; now_us() < end;)
		;
}

// Sleeps until a point in time, so that the signals of sigsegv-stop do not shorten the sleep.
void sleep_whole(long ns)
{
	timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR)
		;
}

} // namespace

thread_load::thread_load(unsigned live, unsigned busy)
{
	for (unsigned i = 0; i < live; ++i)
		threads_.emplace_back([this] {
			while (!stop_.load(std::memory_order_relaxed)) {
				spin(work_us);
				sleep_whole(sleep_ns);
			}
		});
	for (unsigned i = 0; i < busy; ++i)
		threads_.emplace_back([this] {
			while (!stop_.load(std::memory_order_relaxed))
				;
		});
}

thread_load::~thread_load()
{
	stop_ = true;
	for (auto &t : threads_)
		t.join();
}

} // namespace bench
