// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/neighbours.h"

#include <algorithm>

namespace etc
{

std::vector<uint32_t> ask_for_neighbours(std::vector<bool> &wanted, uint32_t page)
{
	const auto size = uint32_t(wanted.size());
	uint32_t first = page, end = page + 1;
	uint64_t node = 1;
	while (node < size) {
		node *= 2;
		const auto begin = uint32_t(page / node * node), to = uint32_t(std::min<uint64_t>(begin + node, size));
		const auto there = uint64_t(std::count(wanted.begin() + begin, wanted.begin() + to, true));
		if (2 * there > to - begin) {
			first = begin;
			end = to;
		}
	}
	std::vector<uint32_t> more;
	for (uint32_t p = first; p < end; p++) {
		if (!wanted[p]) {
			wanted[p] = true;
			more.push_back(p);
		}
	}
	return more;
}

} // namespace etc
