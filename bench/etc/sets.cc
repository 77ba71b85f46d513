// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/sets.h"

#include <algorithm>

namespace etc
{

used_pages pages_of_blocks(const launch &l, uint32_t first, uint32_t end, const machine &m, uint32_t npages)
{
	used_pages u{page_set(npages), page_set(npages), page_set(npages)};
	const uint32_t lines_of_page = m.lines_of_page();
	std::vector<uint32_t> whole;
	for (uint32_t w = l.blocks[first].begin; w < l.blocks[end - 1].end; w++) {
		for (uint32_t n = l.warps[w].begin; n < l.warps[w].end; n++) {
			const item &i = l.items[n];
			for (const uint32_t line : i.touches() ? l.lines_of(i) : std::span<const uint32_t>()) {
				if (i.reads())
					u.reads.add(line / lines_of_page);
				if (i.writes())
					u.writes.add(line / lines_of_page);
				if (i.whole)
					whole.push_back(line);
			}
		}
	}
	std::sort(whole.begin(), whole.end());
	whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
	for (size_t n = 0; n < whole.size();) {
		const uint32_t page = whole[n] / lines_of_page;
		size_t behind = n;
		while (behind < whole.size() && whole[behind] / lines_of_page == page)
			behind++;
		if (behind - n == lines_of_page && !u.reads.has(page))
			u.fresh.add(page);
		n = behind;
	}
	return u;
}

std::vector<uint64_t> uses_of_pages(const launch &l, const machine &m, uint32_t npages)
{
	std::vector<uint64_t> uses(npages);
	for (const item &i : l.items)
		if (i.touches())
			for (const uint32_t line : l.lines_of(i))
				uses[line / m.lines_of_page()]++;
	return uses;
}

} // namespace etc
