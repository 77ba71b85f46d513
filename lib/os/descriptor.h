// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <unistd.h>
#include <utility>

namespace het
{

// Owns a file descriptor; a negative number is none.
class descriptor
{
      public:
	explicit descriptor(int fd = -1) : fd_(fd) {}
	descriptor(descriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
	descriptor &operator=(descriptor &&other) noexcept
	{
		std::swap(fd_, other.fd_);
		return *this;
	}
	~descriptor()
	{
		if (fd_ >= 0)
			close(fd_);
	}
	int get() const { return fd_; }

      private:
	int fd_;
};

} // namespace het
