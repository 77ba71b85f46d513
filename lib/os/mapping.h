// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Mappings. Everything here goes to the kernel directly, past the library's own interposers of munmap and mremap.
#pragma once

#include "core/range.h"

namespace het
{

size_t page_size();

inline constexpr size_t huge_page = 2 << 20;

// Fresh zeroed private memory, null on failure.
void *map_private(size_t n);
// The same, at an address of which @like is the remainder modulo @align; in huge pages where the system has some.
void *map_private_like(uintptr_t like, size_t n, size_t align);
void unmap(range r);
// Moves a whole private mapping over @to; what was there goes. Touches see the old or the new, never a gap.
bool move_mapping(range from, range to);
// Puts a mapping in place that raises SIGBUS at every touch (pages of an empty file).
bool map_failing(range r);

// The library's second mapping of array pages, and the file that holds them: one memfd and one alias for all
// arrays. Extents of it are handed out by memory/extents.h.
class memory_file
{
      public:
	// 0 or GPUVM_ESALLOC, having said why.
	int open();

	uint64_t size() const { return size_; }
	char *alias(uint64_t offset) const { return alias_ + offset; }

	// Opens a part of the alias for use, or closes it: closed parts have no access, so that mlockall() does not
	// fill the whole mapping with pages. False: too many mappings (vm.max_map_count).
	bool open_alias(uint64_t offset, size_t n) const;
	void close_alias(uint64_t offset, size_t n) const;

	// Makes the pages exist (zeroed where they did not). False: out of memory.
	bool populate(uint64_t offset, size_t n) const;
	// Gives pages back to the system.
	void punch(uint64_t offset, size_t n) const;
	// Copies memory into the file's pages without faulting the alias in. False: out of memory.
	bool fill(uint64_t offset, const void *from, size_t n) const;
	// Copies pages of the file to memory, again without faulting the alias in.
	bool read(uint64_t offset, void *to, size_t n) const;
	// Maps the pages at @r, shared, not inherited by fork.
	bool map_at(range r, uint64_t offset) const;

      private:
	int fd_ = -1;
	char *alias_ = nullptr;
	uint64_t size_ = 0;
};

} // namespace het
