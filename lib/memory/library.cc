// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/library.h"

#include "os/log.h"
#include "os/mapping.h"

#include <algorithm>
#include <climits>
#include <new>

namespace het
{

namespace
{

std::atomic<uint32_t> opened{0};

} // namespace

library &lib()
{
	// Never destroyed: resolvers serve touches of other destructors.
	alignas(library) static char memory[sizeof(library)];
	static library *l = new (memory) library;
	return *l;
}

bool library::allocate_space(size_t n, size_t align, const page_use &use, part *p)
{
	auto allocate = [&](extents &from, size_t grain) {
		size_t size = round_up(n, grain);
		if (!from.allocate(size, std::max(align, grain), &p->offset))
			return false;
		p->host_writes = source->create(p->offset, size, use);
		if (!p->host_writes)
			from.release(p->offset, size);
		return p->host_writes != nullptr;
	};
	return (use.huge && allocate(huge_space, huge_page)) || allocate(space, source->grain());
}

void library::release_space(uint64_t offset, size_t n)
{
	bool huge = source->is_huge(offset);
	size_t size = round_up(n, huge ? huge_page : source->grain());
	source->destroy(offset, size);
	(huge ? huge_space : space).release(offset, size);
}

size_t library::page_of(const part &p) const
{
	return source->is_huge(p.offset) ? huge_page : page_size();
}

void wait_until_open()
{
	while (!opened.load())
		futex_wait(&opened, 0);
}

void let_threads_begin()
{
	opened.store(1);
	futex_wake(&opened, INT_MAX);
}

int check_ready(const char *call)
{
	if (lib().ready.load(std::memory_order_acquire))
		return 0;
	if (lib().forked.load())
		return fail(GPUVM_ESTATE, "%s: not in a forked child, whose arrays are ordinary memory", call);
	return fail(GPUVM_ESTATE, "%s: call gpuvm_init() first", call);
}

} // namespace het
