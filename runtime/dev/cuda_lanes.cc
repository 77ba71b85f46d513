// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_lanes.h"

#include <new>

namespace het::rt
{

namespace
{

// Spreads the levels above 0 over the priorities that there are, the highest to the greatest. The driver's are
// negative.
int priority_of(int level, int least, int greatest)
{
	constexpr int highest = 7;
	int steps = least - greatest;
	return level > 0 ? least - (level * steps + highest - 1) / highest : least;
}

} // namespace

int cuda_lanes::open(unsigned lane)
{
	if (all_[lane].load(std::memory_order_relaxed))
		return 0;
	std::unique_ptr<cuda_lane> made(new (std::nothrow) cuda_lane(cu_));
	if (!made)
		return cu_error_out_of_memory;
	int least = 0, greatest = 0, err = 0;
	if (lane)
		err = cu_.stream_priorities(&least, &greatest);
	if (!err)
		err = cu_.create_stream(&made->stream, cu_stream_non_blocking,
					priority_of(level_of(lane), least, greatest));
	if (!err)
		all_[lane].store(made.release(), std::memory_order_release);
	return err;
}

void cuda_lanes::raise(unsigned lane, int8_t level) const
{
	if (cuda_lane *there = all_[lane].load(std::memory_order_acquire))
		there->level.store(level, std::memory_order_relaxed);
}

bool cuda_lanes::is_busy_above(int level) const
{
	for (const auto &i : all_) {
		const cuda_lane *lane = i.load(std::memory_order_acquire);
		if (lane && lane->level.load(std::memory_order_relaxed) > level &&
		    cu_.query_stream(lane->stream) == cu_error_not_ready)
			return true;
	}
	return false;
}

bool cuda_lanes::has_failed() const
{
	for (const auto &i : all_) {
		const cuda_lane *lane = i.load(std::memory_order_acquire);
		int err = lane ? cu_.query_stream(lane->stream) : int(cu_success);
		if (err && err != cu_error_not_ready)
			return true;
	}
	return false;
}

int cuda_lanes::synchronize(unsigned lane) const
{
	const cuda_lane *l = all_[lane].load(std::memory_order_acquire);
	return l ? cu_.synchronize_stream(l->stream) : 0;
}

// What is idle is not waited for, which saves two calls.
int cuda_lanes::go_behind_others(unsigned me) const
{
	int err = 0;
	for (unsigned i = 0; i < most && !err; i++) {
		cuda_lane *lane = all_[i].load(std::memory_order_acquire);
		if (!lane || i == me || (err = cu_.query_stream(lane->stream)) != cu_error_not_ready)
			continue;
		err = lane->reached ? 0 : cu_.create_event(&lane->reached, cu_event_disable_timing);
		if (!err)
			err = cu_.record_event(lane->reached, lane->stream);
		if (!err)
			err = cu_.stream_waits(at(me).stream, lane->reached, 0);
	}
	return err;
}

bool cuda_lanes::are_others(unsigned me) const
{
	for (unsigned i = 0; i < most; i++)
		if (i != me && all_[i].load(std::memory_order_acquire))
			return true;
	return false;
}

} // namespace het::rt
