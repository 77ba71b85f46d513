// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Wraps libhet: calls throw, links undo themselves, and statistics are one value.
#pragma once

#include "common/device.h"

#include <gpuvm.h>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

// Throws "call: reason" for a negative code.
void check(int code, const char *call);

// Calls gpuvm_init() for these devices, all of one API, with statistics on. Throws with the line that the library wrote
// to stderr; what it says about a trap that @flags ask for is dropped. Where touches are measured, @flags has
// GPUVM_NO_FORESIGHT.
void start_library(const std::vector<device *> &devices, int flags = 0);
// Starts the library on the first device of an API that numbers its devices.
void start_library_on_first(int api, int flags);

// Owns the link of an array on one device.
class linked_array
{
      public:
	linked_array() = default;
	linked_array(void *array, size_t nbytes, unsigned idev, void *buffer, int flags);
	linked_array(linked_array &&o) noexcept : array_(std::exchange(o.array_, nullptr)), idev_(o.idev_) {}
	linked_array &operator=(linked_array &&o) noexcept
	{
		std::swap(array_, o.array_);
		std::swap(idev_, o.idev_);
		return *this;
	}
	~linked_array()
	{
		if (array_)
			gpuvm_unlink(array_, idev_);
	}

      private:
	void *array_ = nullptr;
	unsigned idev_ = 0;
};

template <typename T> T library_stat(int parameter)
{
	T value{};
	check(gpuvm_stat(parameter, &value), "gpuvm_stat");
	return value;
}

inline unsigned long long count_stat(int parameter)
{
	return library_stat<unsigned long long>(parameter);
}

// Returns how long the library has spent in copies so far, in µs.
inline double copy_time_us()
{
	return library_stat<double>(GPUVM_STAT_COPY_TIME) * 1e6;
}

// Tells which trap is in use and why, for results.
json describe_library();

} // namespace bench
