// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the program has of a device's memory, but for small blocks. What launches put there goes by addresses, at which
// nobody else looks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>

namespace het_omp
{

class allocations
{
      public:
	void add(const void *p, size_t nbytes)
	{
		std::lock_guard g(lock_);
		all_[reinterpret_cast<uintptr_t>(p)] = nbytes;
	}
	void remove(const void *p)
	{
		std::lock_guard g(lock_);
		all_.erase(reinterpret_cast<uintptr_t>(p));
	}
	// Returns whether the bytes lie in one of them.
	bool cover(const void *p, size_t nbytes) const
	{
		const auto at = reinterpret_cast<uintptr_t>(p);
		std::lock_guard g(lock_);
		auto behind = all_.upper_bound(at);
		if (behind == all_.begin())
			return false;
		const auto &[begin, size] = *std::prev(behind);
		return at - begin < size && nbytes <= size - (at - begin);
	}

      private:
	mutable std::mutex lock_;
	std::map<uintptr_t, size_t> all_;
};

} // namespace het_omp
