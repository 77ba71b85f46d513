// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This holds the fat binary of a program, and the bytes in which it lies: a copy of memory, or a mapping of a file.
#pragma once

#include "core/range.h"
#include "fatbin/container.h"

#include <het.h>
#include <memory>

namespace het::rt
{

class fat_binary
{
      public:
	fat_binary() = default;
	fat_binary(const fat_binary &) = delete;
	fat_binary &operator=(const fat_binary &) = delete;
	~fat_binary();

	// Opens what @args names, which is one of memory, file and section. Returns 0, HET_EIMAGE or HET_ENOMEM.
	int open(const het_program_args &args);
	const fatbin::container &contents() const { return contents_; }

      private:
	int copy(const void *from, size_t n);
	int map(const char *file);

	std::unique_ptr<std::byte[]> copy_;
	range mapped_;
	fatbin::bytes bytes_;
	fatbin::container contents_;
};

} // namespace het::rt
