// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Allocates memory of each kind that programs keep arrays in.
#pragma once

#include <cstddef>
#include <cstdint>

namespace selftest
{

// Owns n bytes of one kind. The memory around them belongs to the test too where room() says so.
class block
{
      public:
	block() = default;
	block(uint32_t kind, size_t n);
	block(block &&o) noexcept;
	block &operator=(block &&o) noexcept;
	~block() { release(); }

	uint8_t *data() const { return data_; }
	size_t size() const { return size_; }
	// These bytes before data() and after data() + size() may be used by the test, too.
	size_t room_before() const { return before_; }
	size_t room_after() const { return after_; }

	// Frees the memory now.
	void release();
	// Forgets the memory, after its owner has freed it otherwise.
	void forget() { base_ = data_ = nullptr; }

      private:
	uint32_t kind_ = 0;
	uint8_t *base_ = nullptr;
	uint8_t *data_ = nullptr;
	size_t size_ = 0;
	size_t before_ = 0, after_ = 0;
};

// Returns the largest size that a kind can have.
size_t largest_of(uint32_t kind);

} // namespace selftest
