// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pages of array bodies come from a page source: memory that can be mapped twice, in its primary place in the
// program, and in the alias, where it is always readable and writable.
//
// A source is one sparse space of offsets for all arrays, parts of which are in use; memory/extents.h hands them out.
// It comes with the trap: the kernel module has its own, all other traps watch a memory_file.
#pragma once

#include "core/range.h"

#include <atomic>

namespace het
{

// Says what a part of a source is wanted for. All but the chunk are wishes.
struct page_use {
	unsigned chunk_shift; // log2 of the bytes that come and go together
	bool huge = false;    // in huge pages
	int node = -1;        // NUMA node; -1: any
};

// The counter goes up whenever the kernel lets host writes to pages that were shown read-only go on by itself; see
// memory/host_writes.h.
using write_counter = std::atomic<uint64_t>;

class page_source
{
      public:
	uint64_t size() const { return size_; }
	// Offsets from there on, up to @huge_end, are a part of their own that comes in huge pages alone and never in
	// others; it may be empty, and its pages may be used up.
	uint64_t huge_end() const { return huge_end_; }
	bool is_huge(uint64_t offset) const { return offset >= size_; }
	char *alias(uint64_t offset) const { return alias_ + offset; }

	// Parts begin and end at multiples of this.
	virtual size_t grain() const = 0;
	// Returns how many bytes a chunk should have for arrays to stay in huge pages, or 0 if any size will do.
	virtual size_t huge_chunk() const { return 0; }
	// Says what to do when a part can't be had, or gets no pages.
	virtual const char *cure() const = 0;

	// Takes a part into use, with zeroed pages that come when they are wanted. Returns the part's counter, which
	// lives as long as the source, or null if the part can't be had.
	virtual const write_counter *create(uint64_t offset, size_t n, const page_use &use) = 0;
	// Gives the part and its pages back to the system.
	virtual void destroy(uint64_t offset, size_t n) = 0;

	// Makes the pages exist (zeroed where they did not). Returns false without memory.
	virtual bool populate(uint64_t offset, size_t n) const = 0;
	// Copies memory into pages. Returns false without memory.
	virtual bool fill(uint64_t offset, const void *from, size_t n) const = 0;
	// Copies pages to memory.
	virtual bool read(uint64_t offset, void *to, size_t n) const = 0;
	// Maps the pages at @r, the primary place, not inherited by fork.
	virtual bool map_at(range r, uint64_t offset) const = 0;
	// Maps, at @r, what raises SIGBUS at every touch.
	virtual bool fail_at(range r) const = 0;
	// Makes @r, where the pages are mapped, private memory with the same contents, without any address space: as a
	// mapping of a file. The part is nobody else's from then on. Returns false, and has changed nothing, if that
	// can't be.
	virtual bool leave_at(range r, uint64_t offset) = 0;
	// Makes huge pages of what is mapped at @r, whole ones. Returns how many bytes are in such, or come so when
	// they are touched.
	virtual size_t make_huge(range r, uint64_t offset) const = 0;

      protected:
	~page_source() = default;

	char *alias_ = nullptr;
	uint64_t size_ = 0;
	uint64_t huge_end_ = 0;
};

} // namespace het
