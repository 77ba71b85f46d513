// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Asks the kernel what the system offers, without the library.
#pragma once

#include "info/child.h"

namespace info
{

// Returns { "kernel", "cores", "memory_bytes", "page_bytes" }.
json machine();

// Returns each way to open a userfaultfd, in the order in which the library tries them: [ { "way", "opens", "error",
// "errno", "kernel_touches", "features": [...] }, ... ].
json userfaultfd_ways();

// Returns { "shmem_huge_pages", "huge_pages", "hugetlb_pages", "max_map_count", "locked_memory_limit",
// "open_files_limit" }; -1 stands for no limit, null for what can't be told.
json memory();

// Returns the GPUVM_* and HET_* variables that are set.
json settings();

} // namespace info
