// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/pool.h"

#include "os/mapping.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace het
{

namespace
{

constexpr size_t slab_size = 64 << 10;

} // namespace

void *memory_pool::carve(unsigned shift)
{
	size_t n = size_t{1} << shift;
	if (free_node *f = free_[shift]) {
		free_[shift] = f->next;
		return f;
	}
	if (slab_left_ < n) {
		// What is left of the old slab (less than the largest class) stays unused.
		void *slab = map_private(slab_size);
		if (!slab)
			return nullptr;
		slab_ = static_cast<char *>(slab);
		slab_left_ = slab_size;
		footprint_.fetch_add(slab_size, std::memory_order_relaxed);
	}
	void *p = slab_;
	slab_ += n;
	slab_left_ -= n;
	return p;
}

void *memory_pool::allocate(size_t n)
{
	unsigned shift = std::max(min_shift, unsigned(std::bit_width(n - 1)));
	if (shift > max_shift) {
		n = round_up(n, page_size());
		void *p = map_private(n);
		if (p)
			footprint_.fetch_add(n, std::memory_order_relaxed);
		return p;
	}
	void *p;
	{
		guard g(lock_, lock_rank::pool);
		p = carve(shift);
	}
	if (p)
		memset(p, 0, size_t{1} << shift);
	return p;
}

void memory_pool::release(void *p, size_t n)
{
	if (!p)
		return;
	unsigned shift = std::max(min_shift, unsigned(std::bit_width(n - 1)));
	if (shift > max_shift) {
		n = round_up(n, page_size());
		unmap(range_of(p, n));
		footprint_.fetch_sub(n, std::memory_order_relaxed);
		return;
	}
	guard g(lock_, lock_rank::pool);
	auto *f = static_cast<free_node *>(p);
	f->next = free_[shift];
	free_[shift] = f;
}

memory_pool &pool()
{
	static memory_pool p;
	return p;
}

} // namespace het
