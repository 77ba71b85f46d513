// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which parts of the page source are in use. Serialised by the structure lock.
#pragma once

#include "memory/extents.h"
#include "os/page_source.h"

namespace het
{

// A part of the page source, in use.
struct part {
	uint64_t offset;
	const write_counter *host_writes;
};

class page_space
{
      public:
	// All of the source is free. It stays where it is.
	void open(page_source &source);
	// The source takes the part into use. False: there is no room for it, or it can't be had.
	bool allocate(size_t n, size_t align, const page_use &use, part *p);
	// And gives its pages back, too.
	void release(uint64_t offset, size_t n);
	// Bytes that can be mapped and taken away at once.
	size_t page_of(const part &p) const;

      private:
	page_source *source_ = nullptr;
	// Of small pages and of huge ones.
	extents small_, huge_;
};

} // namespace het
