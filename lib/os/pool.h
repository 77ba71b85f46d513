// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Holds the library's own memory. Nothing that a touch may wait for calls malloc: the toucher may hold its locks.
#pragma once

#include "os/lock.h"

#include <cstddef>

namespace het
{

// Size classes are powers of two, carved from mapped slabs; what is larger is mapped by itself. The memory is zeroed.
class memory_pool
{
      public:
	void *allocate(size_t n);
	void release(void *p, size_t n);
	// Returns how many bytes were taken from the system.
	size_t footprint() const { return footprint_.load(std::memory_order_relaxed); }

      private:
	struct free_node {
		free_node *next;
	};
	static constexpr unsigned min_shift = 5, max_shift = 15;

	void *carve(unsigned shift);

	futex_lock lock_;
	free_node *free_[max_shift + 1] = {};
	char *slab_ = nullptr;
	size_t slab_left_ = 0;
	std::atomic<size_t> footprint_{0};
};

memory_pool &pool();

template <class T> T *pool_array(size_t n)
{
	return static_cast<T *>(pool().allocate(n * sizeof(T)));
}

} // namespace het
