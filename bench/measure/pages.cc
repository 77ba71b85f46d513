// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/pages.h"

#include "common/memory.h"

namespace bench
{

const kernel mark_pages = {"mark_pages", pages_kernels, [](arguments a, size_t first, size_t end) {
				   for (size_t page = first; page < end; ++page)
					   static_cast<int *>(a[0].buffer)[page * (page_size / sizeof(int))] =
						   a[1].integer + int(page);
			   }};

} // namespace bench
