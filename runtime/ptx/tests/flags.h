// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tests of the passes dirty and touch read here what these have noted.
#pragma once

#include "device.h"
#include "ptx/passes/pages.h"

#include <algorithm>
#include <set>

namespace het::ptx
{

// Has the flags of a range of addresses, set up for a pass.
class flags
{
      public:
	flags(simt::device *d, const std::string &pass, uint64_t base, uint64_t end) : base_(base)
	{
		table_ = {base, end - base, 0, page_flag_stride(end - base)};
		bytes_.resize(page_flag_rows * table_.stride);
		table_.flags = d->share(bytes_);
		auto variable = d->prog().variable("het_" + pass + "_table");
		EXPECT_EQ(variable.bytes, sizeof(table_));
		EXPECT_TRUE(d->mem().write(variable.address, &table_, sizeof(table_)));
	}
	// Returns the pages from @base on that are noted, counted from there.
	std::set<uint64_t> noted(uint64_t base, uint64_t size) const
	{
		std::set<uint64_t> pages;
		for (uint64_t at = 0; at < size; at += page_bytes)
			if (bytes_[page_flag((base + at - base_) / page_bytes, table_.stride)])
				pages.insert(at / page_bytes);
		return pages;
	}
	size_t count() const { return size_t(std::count(bytes_.begin(), bytes_.end(), 1)); }

      private:
	uint64_t base_;
	page_table table_;
	std::vector<uint8_t> bytes_;
};

} // namespace het::ptx
