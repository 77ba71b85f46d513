// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/blocks.h"

#include "memory/library.h"

namespace het
{

size_t huge_bytes(library &l)
{
	size_t n = 0;
	structure_guard g(l);
	l.blocks.for_each([&n](const block &b) { n += b.huge; });
	return n;
}

block *block_of(const library &l, range r)
{
	block *b = l.blocks.find(r.begin);
	return b && b->pages.covers(r) ? b : nullptr;
}

} // namespace het
