// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/blocks.h"

namespace het
{

address_index<block> &blocks()
{
	static address_index<block> b;
	return b;
}

size_t huge_bytes()
{
	size_t n = 0;
	structure_guard g;
	blocks().for_each([&n](const block &b) { n += b.huge; });
	return n;
}

block *block_of(range r)
{
	block *b = blocks().find(r.begin);
	return b && b->pages.covers(r) ? b : nullptr;
}

} // namespace het
