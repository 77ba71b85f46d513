// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the system offers, asked of the kernel without the library.
#pragma once

#include "info/child.h"

namespace info
{

// { "kernel", "cores", "memory_bytes", "page_bytes" }
json machine();

// Each way to open a userfaultfd, in the order in which the library tries them:
// [ { "way", "opens", "error", "errno", "kernel_touches", "features": [...] }, ... ]
json userfaultfd_ways();

// { "shmem_huge_pages", "huge_pages", "hugetlb_pages", "max_map_count", "locked_memory_limit", "open_files_limit" }; -1
// stands for no limit, null for what can't be told.
json memory();

// The GPUVM_* and HET_* variables that are set.
json settings();

} // namespace info
