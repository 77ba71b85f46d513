// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arrays in the library's own memory are for those for whom a touch may wait that has malloc's locks.
#pragma once

#include "os/pool.h"

#include <algorithm>
#include <memory>
#include <type_traits>

namespace het::rt
{

template <class T> class pooled_array
{
      public:
	static_assert(std::is_trivially_destructible_v<T>);

	pooled_array() = default;
	~pooled_array() { pool().release(first_, n_ * sizeof(T)); }
	pooled_array(const pooled_array &) = delete;
	pooled_array &operator=(const pooled_array &) = delete;

	// Makes the elements, once. It is false if there is no memory.
	bool allocate(size_t n)
	{
		n_ = std::max<size_t>(1, n);
		first_ = pool_array<T>(n_);
		if (first_)
			std::uninitialized_value_construct_n(first_, n_);
		return first_;
	}
	T *get() const { return first_; }
	T &operator[](size_t i) const { return first_[i]; }

      private:
	T *first_ = nullptr;
	size_t n_ = 0;
};

} // namespace het::rt
