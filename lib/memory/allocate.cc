// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/allocate.h"

#include "memory/allocations.h"
#include "memory/library.h"
#include "memory/link.h"
#include "os/log.h"
#include "os/mapping.h"
#include "os/pool.h"
#include "os/settings.h"

#include <algorithm>
#include <bit>

namespace het
{

namespace
{

// Arrays that will lie in an allocation choose their chunks later, as a rule. The kernel module's are what an array has
// below 256 MiB, or huge pages.
constexpr size_t usual_chunk = 64 << 10;

// Where a chunk is shown by a change of its mapping, one of a huge page leaves that whole. (Userfaultfd shows small
// pages in any case.)
void go_huge(const library &l, allocation &b)
{
	b.huge = l.source->make_huge(b.pages, b.in_source.offset);
	if (b.huge < b.pages.size())
		inform("gpuvm_malloc: %zu of %zu bytes are in small pages", b.pages.size() - b.huge, b.pages.size());
	else if (!settings().chunk && !l.catcher->features().by_page)
		b.chunk = std::max(b.chunk, huge_page);
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
	structure_guard g(l);
	size_t chunk = huge && !settings().chunk ? l.source->huge_chunk() : 0;
	page_use use{.chunk_shift = unsigned(std::countr_zero(chunk ? chunk : usual_chunk)), .huge = huge};
	if (device < l.ndevs)
		use.node = l.devices[device]->numa_node();
	auto *b = pool_array<allocation>(1);
	if (!b || !l.space.allocate(size, align, use, &b->in_source)) {
		pool().release(b, sizeof(*b));
		fail(GPUVM_ESALLOC, "gpuvm_malloc: no room for %zu bytes (%s)", n, l.source->cure());
		return nullptr;
	}
	// What comes in huge pages goes in them: finer chunks could not be taken away from the host.
	b->chunk = std::max(chunk, l.source->is_huge(b->in_source.offset) ? huge_page : 0);
	void *p = map_private_like(0, size, align);
	b->pages = range_of(p, size);
	uint64_t offset = b->in_source.offset;
	if (!p || !l.source->map_at(b->pages, offset) || !l.allocations.insert(b->pages, b)) {
		if (p)
			unmap(b->pages);
		l.space.release(offset, size);
		pool().release(b, sizeof(*b));
		fail(GPUVM_ESALLOC, "gpuvm_malloc: no address space for %zu bytes (raise vm.max_map_count?)", n);
		return nullptr;
	}
	if (huge)
		go_huge(l, *b);
	return p;
}

int free_block(void *p)
{
	library &l = lib();
	structure_guard g(l);
	allocation *b = l.allocations.find(reinterpret_cast<uintptr_t>(p));
	if (!b || b->pages.ptr() != p)
		return fail(GPUVM_EHOSTPTR, "gpuvm_free: %p did not come from gpuvm_malloc()", p);
	while (array *a = l.arrays.first_overlap(b->pages)) {
		if (int err = unlink_all(l, *a, {.discard = true}))
			return err;
	}
	l.allocations.remove(b->pages);
	unmap(b->pages);
	l.space.release(b->in_source.offset, b->pages.size());
	pool().release(b, sizeof(*b));
	return 0;
}

} // namespace het
