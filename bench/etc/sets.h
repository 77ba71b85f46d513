// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which pages blocks use: what a runtime knows by patterns, by analysis or by an inspector before a launch starts.
#pragma once

#include "etc/machine.h"
#include "etc/page_set.h"

namespace etc
{

struct used_pages {
	page_set reads, writes;
	// Pages of which every byte is written and none read: they need not be fetched.
	page_set fresh;

	page_set all() const
	{
		page_set a = reads;
		a |= writes;
		return a;
	}
};

// What the blocks [@first, @end) use together.
used_pages pages_of_blocks(const launch &l, uint32_t first, uint32_t end, const machine &m, uint32_t npages);
// How many lines a launch uses of each page, each as often as it uses it.
std::vector<uint64_t> uses_of_pages(const launch &l, const machine &m, uint32_t npages);

} // namespace etc
