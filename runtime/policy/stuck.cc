// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/stuck.h"

#include <algorithm>
#include <utility>

namespace het::rt
{

namespace
{

// Devices, and inputs of a kernel, differ by less than this.
constexpr double many_times = 100;
constexpr double least_times_if_unknown = 60;

} // namespace

bool is_stuck(double quiet, double expected, double least)
{
	return quiet >= (expected > 0 ? std::max(least, many_times * expected) : least_times_if_unknown * least);
}

uint64_t quiet_time::look(uint64_t now, uint64_t gap, bool runs, uint64_t progress)
{
	bool goes_on = ran_ && runs && progress == progress_;
	uint64_t since = std::min(now - std::exchange(last_, now), gap);
	quiet_ = goes_on ? quiet_ + since : 0;
	ran_ = runs;
	progress_ = progress;
	return quiet_;
}

} // namespace het::rt
