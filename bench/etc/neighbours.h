// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The prefetcher of NVIDIA's driver: over the pages of a granule stands a binary tree, and where more than half of the
// pages below a node are there or asked for, all of them come.
#pragma once

#include <cstdint>
#include <vector>

namespace etc
{

// @wanted tells for each page of a granule whether it is there or asked for, the one at @page too. What comes as well
// is set there, and returned in order. The number of pages need not be a power of two.
std::vector<uint32_t> ask_for_neighbours(std::vector<bool> &wanted, uint32_t page);

} // namespace etc
