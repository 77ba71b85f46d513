// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/table.h"

#include <algorithm>
#include <cstdio>

namespace bench
{

namespace
{

// Counts the columns that a terminal shows, for UTF-8 text without wide or combining characters.
size_t width_of(const std::string &s)
{
	return size_t(std::count_if(s.begin(), s.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

std::vector<size_t> column_widths(const std::vector<std::vector<std::string>> &rows)
{
	std::vector<size_t> widths;
	for (const auto &cells : rows) {
		widths.resize(std::max(widths.size(), cells.size()));
		for (size_t i = 0; i < cells.size(); ++i)
			widths[i] = std::max(widths[i], width_of(cells[i]));
	}
	return widths;
}

} // namespace

std::string table::text() const
{
	const auto widths = column_widths(rows_);
	std::string out = "\n" + title_ + "\n";
	for (size_t r = 0; r < rows_.size(); ++r) {
		std::string line = " ";
		for (size_t i = 0; i < rows_[r].size(); ++i) {
			const std::string &cell = rows_[r][i];
			std::string pad(widths[i] - width_of(cell), ' ');
			line += " " + (i < left_ ? cell + pad : pad + cell) + (i + 1 < rows_[r].size() ? " " : "");
		}
		line.erase(line.find_last_not_of(' ') + 1);
		out += line + "\n";
		if (r == 0) {
			size_t length = 2;
			for (size_t w : widths)
				length += w + 2;
			out += "  " + std::string(length - 4, '-') + "\n";
		}
	}
	for (const auto &n : notes_)
		out += "  " + n + "\n";
	return out;
}

void table::print() const
{
	fputs(text().c_str(), stdout);
	fflush(stdout);
}

} // namespace bench
