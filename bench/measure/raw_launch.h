// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches empty kernels, and waits for them, through the device's own API: nothing above it can be faster.
#pragma once

#include "common/kernel_text.h"

#include <het.hpp>
#include <memory>
#include <string>

namespace bench
{

// The kernels are nothing, values1, values4, ranges1 and ranges4: with so many 32-bit values, or pointers.
extern const kernel_text empty_kernels;

// Tells the arguments of an empty kernel.
struct empty_arguments {
	unsigned count;
	bool ranges; // false: values

	std::string kernel() const
	{
		return count ? (ranges ? "ranges" : "values") + std::to_string(count) : "nothing";
	}
};

inline constexpr unsigned most_empty_arguments = 4;
inline constexpr size_t empty_group = 64; // work-items, in one group
inline constexpr size_t empty_range_bytes = 64 << 10;

class raw_launch
{
      public:
	virtual ~raw_launch() = default;
	// Passes the arguments and launches so many times, each launch behind the one before; then waits.
	virtual void run(unsigned launches) = 0;
	// Tells that the device takes long to change from the runtime's context to this one's.
	virtual bool changes_contexts() const { return false; }
};

// Launches on the device that is one of the runtime's. Returns null if that has no API of its own (HET_DEVICE_HOST and
// HET_DEVICE_APART). @ordinal is that of a CUDA device.
std::unique_ptr<raw_launch> make_raw_launch(het::device d, unsigned ordinal, const empty_arguments &a);

} // namespace bench
