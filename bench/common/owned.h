// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Mappings have one owner.
#pragma once

#include <cstddef>
#include <sys/mman.h>
#include <utility>

namespace bench
{

// Owns what mmap() has returned, or nothing.
class owned_mapping
{
      public:
	owned_mapping() = default;
	owned_mapping(void *p, size_t nbytes) : p_(p), nbytes_(nbytes) {}
	owned_mapping(owned_mapping &&o) noexcept
	    : p_(std::exchange(o.p_, MAP_FAILED)), nbytes_(std::exchange(o.nbytes_, 0))
	{
	}
	owned_mapping &operator=(owned_mapping &&o) noexcept
	{
		std::swap(p_, o.p_);
		std::swap(nbytes_, o.nbytes_);
		return *this;
	}
	~owned_mapping()
	{
		if (*this)
			munmap(p_, nbytes_);
	}
	explicit operator bool() const { return p_ != MAP_FAILED; }
	char *data() const { return static_cast<char *>(p_); }
	size_t size() const { return nbytes_; }

      private:
	void *p_ = MAP_FAILED;
	size_t nbytes_ = 0;
};

} // namespace bench
