// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libgomp allocates a little memory for each region, and frees it behind that. So small blocks are parts of larger ones
// of the device's, and go from region to region without its driver.
#pragma once

#include "puts.h"

#include <cstddef>
#include <cstdint>
#include <het.h>
#include <mutex>
#include <vector>

namespace het_omp
{

class blocks
{
      public:
	static constexpr size_t largest = 1024;

	blocks(het_device *device, puts &before) : device_(device), puts_(before) {}
	~blocks() { drop_free(); }
	blocks(const blocks &) = delete;
	blocks &operator=(const blocks &) = delete;

	// Returns null for what is larger, and, het having said why, if there is no memory.
	void *take(size_t nbytes);
	// Returns false if it has not come from take().
	bool give_back(void *block);
	// Returns whether the bytes lie in blocks of these.
	bool cover(const void *p, size_t nbytes);
	// Gives the device the memory back of which nothing is used, once what was put there has come there. Returns
	// whether there was any.
	bool drop_free();

      private:
	static constexpr size_t blocks_of_slab = 64;
	struct slab {
		uintptr_t at;
		uint64_t used; // has a bit for each block
	};
	slab *find(const void *p);

	het_device *const device_;
	puts &puts_;
	std::mutex lock_;
	std::vector<slab> slabs_;
};

} // namespace het_omp
