// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/spare_mappings.h"

#include "os/mapping.h"

#include <sys/mman.h>

namespace het
{

namespace
{

// Pages of two kinds take turns, so that each is a mapping; all of one kind would be one mapping. mremap(2) wants five
// or six to be left.
constexpr size_t pages = 16;
char *reserve;

void make_every_second(int protection)
{
	for (size_t i = 1; i < pages && reserve; i += 2)
		mprotect(reserve + i * page_size(), page_size(), protection);
}

} // namespace

void keep_spare_mappings()
{
	if (!reserve)
		reserve = static_cast<char *>(map_nothing(pages * page_size()));
	make_every_second(PROT_READ);
}

void spend_spare_mappings()
{
	make_every_second(PROT_NONE);
}

} // namespace het
