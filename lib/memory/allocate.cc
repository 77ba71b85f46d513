// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/allocate.h"

#include "memory/library.h"
#include "memory/link.h"
#include "os/log.h"
#include "os/numa.h"
#include "os/pool.h"

#include <cerrno>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace het
{

namespace
{

address_index<block> &blocks()
{
	static address_index<block> b;
	return b;
}

// Pages of shared memory become huge by themselves only where the administrator has said so (shmem_enabled), but they can be
// collapsed on request (Linux 6.1). Costs a copy of the block, once.
void make_huge(const block &b)
{
	void *alias = lib().file.alias(b.offset);
	madvise(b.pages.ptr(), b.pages.size(), MADV_HUGEPAGE);
	madvise(alias, b.pages.size(), MADV_HUGEPAGE);
	if (lib().file.populate(b.offset, b.pages.size()) && madvise(alias, b.pages.size(), MADV_COLLAPSE))
		inform("gpuvm_malloc: no huge pages for %zu bytes (errno %d)", b.pages.size(), errno);
}

} // namespace

void *allocate_block(size_t n, unsigned device, bool huge)
{
	library &l = lib();
	size_t align = huge || n >= huge_page ? huge_page : page_size();
	size_t size = round_up(n, huge ? huge_page : page_size());
	if (!n || size < n) {
		fail(GPUVM_EARG, "gpuvm_malloc: %zu bytes can't be allocated", n);
		return nullptr;
	}
	structure_guard g;
	auto *b = pool_array<block>(1);
	if (!b || !l.allocate_space(size, align, &b->offset)) {
		pool().release(b, sizeof(*b));
		fail(GPUVM_ESALLOC, "gpuvm_malloc: no room for %zu bytes", n);
		return nullptr;
	}
	void *p = map_private_like(0, size, align);
	b->pages = range_of(p, size);
	if (!p || !l.file.map_at(b->pages, b->offset) || !blocks().insert(b->pages, b)) {
		if (p)
			unmap(b->pages);
		l.release_space(b->offset, size);
		pool().release(b, sizeof(*b));
		fail(GPUVM_ESALLOC, "gpuvm_malloc: no address space for %zu bytes (raise vm.max_map_count?)", n);
		return nullptr;
	}
	if (device < l.ndevs)
		prefer_node(range_of(l.file.alias(b->offset), size), l.devices[device]->numa_node());
	if (huge)
		make_huge(*b);
	return p;
}

int free_block(void *p)
{
	library &l = lib();
	structure_guard g;
	block *b = blocks().find(reinterpret_cast<uintptr_t>(p));
	if (!b || b->pages.ptr() != p)
		return fail(GPUVM_EHOSTPTR, "gpuvm_free: %p did not come from gpuvm_malloc()", p);
	while (array *a = l.arrays.first_overlap(b->pages)) {
		if (int err = unlink_all(*a, {.discard = true}))
			return err;
	}
	blocks().remove(b->pages);
	unmap(b->pages);
	l.release_space(b->offset, b->pages.size());
	pool().release(b, sizeof(*b));
	return 0;
}

block *block_of(range r)
{
	block *b = blocks().find(r.begin);
	return b && b->pages.covers(r) ? b : nullptr;
}

void for_each_block(void (*f)(block &))
{
	blocks().for_each(f);
}

} // namespace het
