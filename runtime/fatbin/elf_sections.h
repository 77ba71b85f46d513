// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds the sections of an ELF64 file: a fat binary, or an executable that has one inside.
//
// libelf writes fat binaries, but does not read them: it wants memory that it may write to, allocates for each section,
// and libhet.so would bring it into every program. Finding a section takes the few lines of elf_sections.cc.
#pragma once

#include "fatbin/bytes.h"

#include <elf.h>

namespace het::fatbin
{

class elf_sections
{
      public:
	// @file must stay.
	bool open(bytes file, fault &why);
	// Returns the first section of that name, or 0 if there is none.
	uint32_t find(const char *name) const;
	// Returns false if there is no such section, or it has no bytes in the file.
	bool contents(uint32_t index, bytes &to) const;

      private:
	bytes file_;
	uint64_t table_ = 0;
	uint32_t count_ = 0, names_ = 0;
};

} // namespace het::fatbin
