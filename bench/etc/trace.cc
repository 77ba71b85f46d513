// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/trace.h"

#include <algorithm>
#include <array>

namespace etc
{

void add_block(launch &l, std::span<const std::vector<warp_item>> warps)
{
	const uint32_t first_warp = uint32_t(l.warps.size());
	for (const std::vector<warp_item> &w : warps) {
		const uint32_t first = uint32_t(l.items.size());
		const auto last =
			std::find_if(w.rbegin(), w.rend(), [](const warp_item &i) { return i.what.touches(); });
		for (const warp_item &i : std::span(w).first(size_t(w.rend() - last))) {
			item added = i.what;
			added.first = uint32_t(l.lines.size());
			added.count = uint8_t(i.lines.size());
			l.lines.insert(l.lines.end(), i.lines.begin(), i.lines.end());
			l.items.push_back(added);
		}
		l.warps.push_back({first, uint32_t(l.items.size())});
	}
	l.blocks.push_back({first_warp, uint32_t(l.warps.size())});
}

unsigned pages_of(std::span<const uint32_t> lines, uint64_t lines_of_page)
{
	std::array<uint32_t, 256> pages; // an item has no more lines
	unsigned n = 0;
	for (const uint32_t line : lines)
		pages[n++] = uint32_t(line / lines_of_page);
	std::sort(pages.begin(), pages.begin() + n);
	return unsigned(std::unique(pages.begin(), pages.begin() + n) - pages.begin());
}

access_counts count_accesses(const program_trace &t, uint64_t page_bytes)
{
	access_counts c;
	for (const launch &l : t.launches) {
		for (const item &i : l.items) {
			if (!i.touches())
				continue;
			c.accesses++;
			c.lines += i.count;
			c.pages += pages_of(l.lines_of(i), page_bytes / line_bytes);
		}
	}
	return c;
}

} // namespace etc
