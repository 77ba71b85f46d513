// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Memory for the bytes of a message. Rooms that are not too large are used again, since fresh pages cost more than the
// copy of what lies in them.
#pragma once

#include <cstddef>
#include <utility>

namespace hetmpi
{

class room
{
      public:
	room() = default;
	room(room &&r) noexcept : at_(std::exchange(r.at_, nullptr)), size_(std::exchange(r.size_, 0)) {}
	room &operator=(room &&r) noexcept
	{
		std::swap(at_, r.at_);
		std::swap(size_, r.size_);
		return *this;
	}
	~room();

	// Returns at least @n bytes, or nothing if there is no memory.
	static room of(size_t n);

	explicit operator bool() const { return at_; }
	void *at() const { return at_; }
	size_t size() const { return size_; }

      private:
	room(void *at, size_t size) : at_(at), size_(size) {}

	void *at_ = nullptr;
	size_t size_ = 0;
};

} // namespace hetmpi
