// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels use just enough of an array here to tell which pages came over.
#pragma once

#include "common/device.h"

namespace bench
{

// stamp(a, at, value) writes one word, mark_pages(a, first) the first word of each page, and
// add_to_pages(a, pages, value) reads and writes that.
extern const kernel_text pages_kernels;

// As a kernel of any device; a work-item a page.
extern const kernel mark_pages;

} // namespace bench
