// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/mapping.h"

#include <atomic>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace het
{

namespace
{

constexpr int read_write = PROT_READ | PROT_WRITE;

// The kernel may give one thread the place that another has just unmapped, of which the memory model knows nothing: who
// unmaps counts, and who maps looks.
std::atomic<uint32_t> unmapped{0};

void *raw_mmap(void *at, size_t n, int prot, int flags, int fd, uint64_t offset)
{
	long r = syscall(SYS_mmap, at, n, prot, flags, fd, offset);
	unmapped.load(std::memory_order_acquire);
	return r == -1 ? nullptr : reinterpret_cast<void *>(r);
}

} // namespace

size_t page_size()
{
	static const size_t size = size_t(sysconf(_SC_PAGESIZE));
	return size;
}

void *map_private(size_t n)
{
	return raw_mmap(nullptr, n, read_write, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void *map_sparse(size_t n)
{
	return raw_mmap(nullptr, n, read_write, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void *map_nothing(size_t n)
{
	return raw_mmap(nullptr, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

bool map_private_at(range r)
{
	return raw_mmap(r.ptr(), r.size(), read_write, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void *map_private_like(uintptr_t like, size_t n, size_t align)
{
	if (align <= page_size())
		return map_private(n);
	void *p = map_private(n + align);
	if (!p)
		return nullptr;
	range all = range_of(p, n + align);
	uintptr_t begin = round_down(all.begin, align) + like % align;
	begin += begin < all.begin ? align : 0;
	range kept{begin, begin + n};
	if (all.begin < kept.begin)
		unmap({all.begin, kept.begin});
	if (kept.end < all.end)
		unmap({kept.end, all.end});
	if (n >= huge_page)
		madvise(kept.ptr(), n, MADV_HUGEPAGE);
	return kept.ptr();
}

void unmap(range r)
{
	unmapped.fetch_add(1, std::memory_order_release);
	syscall(SYS_munmap, r.begin, r.size());
}

bool move_mapping(range from, range to)
{
	return syscall(SYS_mremap, from.begin, from.size(), to.size(), MREMAP_MAYMOVE | MREMAP_FIXED, to.begin) != -1;
}

void let_children_have(range r)
{
	madvise(r.ptr(), r.size(), MADV_DOFORK);
}

bool map_file_private(range r, int fd, uint64_t offset)
{
	return raw_mmap(r.ptr(), r.size(), read_write, MAP_PRIVATE | MAP_FIXED, fd, offset);
}

// Does what a write to each of the pages would do (Linux 5.14).
bool make_pages_private(range r)
{
	return !madvise(r.ptr(), r.size(), MADV_POPULATE_WRITE);
}

void *map_file(void *at, size_t n, int protection, int fd, uint64_t offset)
{
	return raw_mmap(at, n, protection, MAP_SHARED | MAP_NORESERVE | (at ? MAP_FIXED : 0), fd, offset);
}

void *map_file_aligned(uint64_t size, int protection, int fd, uint64_t offset)
{
	void *room = map_nothing(size + huge_page);
	if (!room)
		return nullptr;
	range all = range_of(room, size + huge_page);
	uintptr_t begin = round_up(all.begin, huge_page);
	range kept{begin, begin + size};
	void *p = map_file(kept.ptr(), size, protection, fd, offset);
	if (!p)
		kept = {all.end, all.end};
	if (all.begin < kept.begin)
		unmap({all.begin, kept.begin});
	if (kept.end < all.end)
		unmap({kept.end, all.end});
	return p;
}

} // namespace het
