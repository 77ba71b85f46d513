// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/allocations.h"

#include "memory/library.h"

namespace het
{

size_t huge_bytes(library &l)
{
	size_t n = 0;
	structure_guard g(l);
	l.allocations.for_each([&n](const allocation &b) { n += b.huge; });
	return n;
}

allocation *allocation_of(const library &l, range r)
{
	allocation *b = l.allocations.find(r.begin);
	return b && b->pages.covers(r) ? b : nullptr;
}

} // namespace het
