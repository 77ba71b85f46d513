// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Follows pages of device memory that a launch may use, and which of them the passes dirty and touch have noted.
#pragma once

#include "dev/compute_device.h"
#include "ptx/passes/pages.h"

namespace het::rt
{

class noted_pages
{
      public:
	// Follows the pages between the first byte and the last of the arguments that have a bit of @access. Returns
	// false if there is no memory, or they lie too far apart; nothing is followed then, and every page counts as
	// noted.
	bool follow(std::span<const device_arg> args, uint32_t access);

	// These are the room for flags on the device, and the table for the pass: 0 and all zeroes if nothing is
	// followed.
	size_t flag_bytes() const { return ptx::page_flag_rows * size_t{stride_}; }
	ptx::page_table table(uint64_t flags) const;

	void read(const char *flags);
	bool is_noted(uint64_t at, size_t nbytes) const;

	// These count the pages of the arguments: all, and those noted.
	uint64_t count() const { return count_; }
	uint64_t noted() const { return noted_; }

      private:
	void add(const device_arg &a);
	uint64_t pages() const { return size_ / ptx::page_bytes; }

	uint64_t base_ = 0, size_ = 0;
	uint32_t stride_ = 0;
	uint64_t count_ = 0, noted_ = 0;
	std::unique_ptr<uint8_t[]> states_;
};

} // namespace het::rt
