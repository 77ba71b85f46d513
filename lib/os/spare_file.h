// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Keeps a memory file in reserve, for a process that has used up its address space (RLIMIT_AS): private memory can take
// the place of a mapping with other bytes in it at one blow, but only as a mapping of a file that has these bytes
// already. It is opened beforehand, as there may be no descriptor left then.
#pragma once

#include "core/range.h"
#include "os/own_descriptor.h"

#include <cstdint>

namespace het
{

class spare_file
{
      public:
	// Without a file there is no reserve, and nothing else is amiss.
	void open();
	// Puts private memory with the bytes at @from in place of what is mapped at @r: touches see the old or the new,
	// never a gap, and no address space is needed meanwhile. Returns false, and has changed nothing, if that can't
	// be. Calls are serialised by the caller.
	bool replace(range r, const void *from);

      private:
	bool has_room(size_t n) const;
	void drop(uint64_t at, size_t n);

	own_descriptor file_;
	// No part is used twice: a page that the program gives back (MADV_DONTNEED) is the file's again, a zeroed one.
	uint64_t end_ = 0;
};

} // namespace het
