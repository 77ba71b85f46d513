// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A CUDA device has a stream for each level of urgency that is used: of two kernels that wait for room on the GPU the
// hardware begins the one on the more urgent stream. GPUs have fewer priorities than there are levels, so neighbours
// may share one; those below 0 have the lowest, as 0 has.
#pragma once

#include "dev/cuda_marks.h"

#include <memory>

namespace het::rt
{

struct cuda_lane {
	explicit cuda_lane(const cuda_calls &cu) : marks(cu) {}

	cu_stream stream = nullptr;
	cuda_marks marks;
	// Says how urgent what is under way there is: the last of it, or what became more urgent since.
	std::atomic<int8_t> level{0};
	// Is recorded when another lane is to go on behind what is there. It belongs to the submitter.
	cu_event reached = nullptr;
	// Tells when the command ended that was waited for last. It belongs to the waiter.
	uint64_t last_end = 0;
};

class cuda_lanes
{
      public:
	// The first is level 0's, the others those of levels -8 to 7.
	static constexpr unsigned most = 17;
	static constexpr int level_of(unsigned lane) { return lane ? int(lane) - 9 : 0; }

	explicit cuda_lanes(const cuda_calls &cu) : cu_(cu) {}

	// Opens it if need be. One thread calls it at a time; the device's context is current. Returns 0 or a code of
	// the driver's.
	int open(unsigned lane);
	// Returns a lane that was opened.
	cuda_lane &at(unsigned lane) const { return *all_[lane].load(std::memory_order_acquire); }

	// What is under way there has become so urgent.
	void raise(unsigned lane, int8_t level) const;
	// Returns whether something more urgent is under way on a lane, as far as the driver tells.
	bool is_busy_above(int level) const;
	// Returns whether the driver says of a lane that something there has failed. It waits for nothing.
	bool has_failed() const;
	// Waits until nothing is under way on a lane, if it was ever opened. Returns 0 or a code.
	int synchronize(unsigned lane) const;
	// What is put on the lane from now on begins when all that is on the others now has ended. The host waits for
	// nothing. One thread calls it at a time. Returns 0 or a code.
	int go_behind_others(unsigned lane) const;
	// Returns whether another one was ever opened.
	bool are_others(unsigned lane) const;

      private:
	const cuda_calls &cu_;
	std::atomic<cuda_lane *> all_[most] = {}; // live as long as the process
};

} // namespace het::rt
