// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Raw memory of one device, of which the library gives kernels the address and knows nothing else.
#pragma once

#include <cstddef>
#include <het.h>
#include <memory>

namespace het::python
{

class device_memory
{
      public:
	device_memory(het_device *device, size_t nbytes);

	// Returns the rest from @offset on. It keeps all of the memory.
	device_memory from(size_t offset) const;

	het_device *device() const { return block_->device; }
	void *address() const { return static_cast<char *>(block_->address) + offset_; }
	size_t nbytes() const { return block_->nbytes - offset_; }

      private:
	struct block {
		het_device *device;
		size_t nbytes;
		void *address;

		block(het_device *device, size_t nbytes);
		block(const block &) = delete;
		block &operator=(const block &) = delete;
		~block(); // commands that use it go on, and it goes after them
	};

	std::shared_ptr<block> block_;
	size_t offset_ = 0;
};

} // namespace het::python
