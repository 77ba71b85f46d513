// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels use just enough of an array here to tell which pages came over.
#pragma once

#include "common/kernel_text.h"

namespace bench
{

// stamp(a, at, value) writes one word, mark_pages(a, first) the first word of each page, and
// add_to_pages(a, pages, value) reads and writes that.
extern const kernel_text pages_kernels;

} // namespace bench
