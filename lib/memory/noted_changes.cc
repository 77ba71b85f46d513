// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/noted_changes.h"

#include "os/pool.h"

#include <algorithm>
#include <new>

namespace het
{

constinit std::atomic<uint32_t> next_moment{1};

namespace
{

size_t size_of_changes(const array &a)
{
	return sizeof(array_changes) + a.place.chunks * sizeof(uint32_t);
}

} // namespace

void watch_changes(array &a, uint32_t moment)
{
	if (!a.live || !a.chunks || a.changes.load(std::memory_order_relaxed))
		return;
	auto *n = static_cast<array_changes *>(pool().allocate(size_of_changes(a)));
	if (!n)
		return; // nothing is known, then
	new (n) array_changes{};
	std::fill_n(n->chunks, a.place.chunks, moment);
	a.changes.store(n, std::memory_order_release);
}

void forget_changes(array &a)
{
	if (array_changes *n = a.changes.exchange(nullptr))
		pool().release(n, size_of_changes(a));
}

} // namespace het
