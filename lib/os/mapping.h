// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Maps memory. Everything here goes to the kernel directly, past the library's own interposers of munmap and mremap.
#pragma once

#include "core/range.h"

namespace het
{

size_t page_size();

inline constexpr size_t huge_page = 2 << 20;

// Maps fresh zeroed private memory. Returns null on failure.
void *map_private(size_t n);
// Does so for memory of which little will be touched: the system sets nothing aside for it.
void *map_sparse(size_t n);
// Maps fresh zeroed private memory in place of what is there. Where that is a mapping of its own, no further one is
// needed.
bool map_private_at(range r);
// Maps address space that nothing may touch. Returns null on failure.
void *map_nothing(size_t n);
// Does what map_private() does, at an address of which @like is the remainder modulo @align; in huge pages where the
// system has some.
void *map_private_like(uintptr_t like, size_t n, size_t align);
void unmap(range r);
// Moves a whole private mapping over @to; what was there goes. Touches see the old or the new, never a gap.
bool move_mapping(range from, range to);
// Undoes MADV_DONTFORK.
void let_children_have(range r);

// Maps a file, shared, at @at in place of what is there, or anywhere. Returns null on failure.
void *map_file(void *at, size_t n, int protection, int fd, uint64_t offset);
// Shows the file's pages in place of what is there; what is written there is private.
bool map_file_private(range r, int fd, uint64_t offset);
// Gives a private mapping of a file pages of its own, all of them, so that the file's are needed no more. Returns false
// without memory.
bool make_pages_private(range r);
// Does what map_file() does, somewhere at a multiple of 2 MiB, which a huge page needs beside such an offset.
void *map_file_aligned(uint64_t size, int protection, int fd, uint64_t offset);

} // namespace het
