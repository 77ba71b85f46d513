// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch's threads have their stacks in one block of the device's memory. A block goes from launch to launch.
#pragma once

#include <cstddef>
#include <het.h>
#include <mutex>
#include <vector>

namespace het_omp
{

constexpr size_t stack_bytes = size_t{128} << 10; // of a thread

class stacks
{
      public:
	explicit stacks(het_device *device) : device_(device) {}
	~stacks() { drop_free(); }
	stacks(const stacks &) = delete;
	stacks &operator=(const stacks &) = delete;

	// Returns null, het having said why, if there is no memory.
	void *take(size_t nbytes);
	void give_back(void *block);
	// Gives the device the memory back that no launch uses. Returns whether there was any.
	bool drop_free();

      private:
	struct block {
		void *at;
		size_t nbytes;
		bool is_used;
	};
	bool drop_free_locked();

	het_device *const device_;
	std::mutex lock_;
	std::vector<block> blocks_;
};

} // namespace het_omp
