// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch that more urgent ones may come before, on a device that can't stop kernels, runs as strips: parts of bounded
// time, two of which are with the device. Whatever is more urgent is begun before the next of them, as they lie in the
// ready queue like any command.
//
// The launch has begun when they are started, and is over when the last of them is.
#pragma once

#include "core/runtime.h"
#include "policy/strips.h"

#include <memory>

namespace het::rt
{

// What of a launch can be in strips.
struct strip_plan {
	device_kernel *kernel; // made for slices
	launch_shape shape;    // with its rows' direction
	size_t nrows, least_rows;
	double rows_a_ns; // as far as that is known, or 0
};

class strips
{
      public:
	static constexpr uint64_t longest_ns = 200'000;

	// The launch keeps this and its arguments.
	strips(het_event &of, het_device &d, const strip_plan &p, std::span<const device_arg> args)
	    : of_(of), device_(d), plan_(p), args_(args), sizes_(p.nrows, p.least_rows, longest_ns, p.rows_a_ns)
	{
	}

	// Starts the first ones. If none could be started it returns a code; else it sees to the end of the launch.
	int start();
	// The launch has become more urgent. The graph's lock is held.
	void rise();

      private:
	class strip;
	static constexpr unsigned with_device = 2;

	int failure();
	bool give_next();
	void is_over(strip &s, int status);
	void complete();

	het_event &of_;
	het_device &device_;
	const strip_plan plan_;
	const std::span<const device_arg> args_;
	// This guards all below, but for what belongs to the submitter. Its rank is structure. Strips are handed over
	// under it, so that rise() finds each of them where it lies.
	futex_lock lock_;
	strip_sizes sizes_;
	strip *under_way_[with_device] = {};
	int failure_ = 0;
	uint64_t last_end_ = 0;
	uint32_t begun_there_ = 0; // commands that the executor had begun when it began the last strip; the submitter's
};

} // namespace het::rt
