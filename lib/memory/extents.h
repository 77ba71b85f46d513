// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which parts of the page source are free. The best fit is taken from a sorted table of free extents, which are merged
// when they meet. The structure lock serialises calls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace het
{

class extents
{
      public:
	// All of [begin, end) is free.
	void open(uint64_t begin, uint64_t end);
	// It is false without room (or memory for the table).
	bool allocate(size_t n, size_t align, uint64_t *offset);
	void release(uint64_t offset, size_t n);

      private:
	struct extent {
		uint64_t begin, end;
	};
	bool insert(uint32_t at, extent e);
	void erase(uint32_t at);

	extent *free_ = nullptr;
	uint32_t count_ = 0, capacity_ = 0;
};

} // namespace het
