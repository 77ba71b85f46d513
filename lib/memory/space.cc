// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/space.h"

#include "os/mapping.h"

#include <algorithm>

namespace het
{

void page_space::open(page_source &source)
{
	source_ = &source;
	small_.open(0, source.size());
	huge_.open(source.size(), source.huge_end());
}

bool page_space::allocate(size_t n, size_t align, const page_use &use, part *p)
{
	auto allocate = [&](extents &from, size_t grain) {
		size_t size = round_up(n, grain);
		if (!from.allocate(size, std::max(align, grain), &p->offset))
			return false;
		p->host_writes = source_->create(p->offset, size, use);
		if (!p->host_writes)
			from.release(p->offset, size);
		return p->host_writes != nullptr;
	};
	return (use.huge && allocate(huge_, huge_page)) || allocate(small_, source_->grain());
}

void page_space::release(uint64_t offset, size_t n)
{
	bool huge = source_->is_huge(offset);
	size_t size = round_up(n, huge ? huge_page : source_->grain());
	source_->destroy(offset, size);
	(huge ? huge_ : small_).release(offset, size);
}

size_t page_space::page_of(const part &p) const
{
	return source_->is_huge(p.offset) ? huge_page : page_size();
}

} // namespace het
