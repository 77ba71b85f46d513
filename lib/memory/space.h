// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which parts of the page source are in use. The structure lock serialises calls.
#pragma once

#include "memory/extents.h"
#include "os/page_source.h"

namespace het
{

// This is a part of the page source that is in use.
struct part {
	uint64_t offset;
	const write_counter *host_writes;
};

class page_space
{
      public:
	// All of the source is free. The source stays where it is.
	void open(page_source &source);
	// The source takes the part into use. False says that there is no room for it, or it can't be had.
	bool allocate(size_t n, size_t align, const page_use &use, part *p);
	// Gives the part and its pages back.
	void release(uint64_t offset, size_t n);
	// Returns how many bytes can be mapped and taken away at once.
	size_t page_of(const part &p) const;

      private:
	page_source *source_ = nullptr;
	// One is of small pages, the other of huge ones.
	extents small_, huge_;
};

} // namespace het
