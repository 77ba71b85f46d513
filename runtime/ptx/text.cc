// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/text.h"

#include <algorithm>

namespace het::ptx
{

position position_of(std::string_view text, uint32_t offset)
{
	std::string_view before = text.substr(0, offset);
	size_t newline = before.rfind('\n');
	size_t line_start = newline == before.npos ? 0 : newline + 1;
	return {unsigned(1 + std::count(before.begin(), before.end(), '\n')), unsigned(1 + before.size() - line_start)};
}

std::string fault::describe() const
{
	std::string s = std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + what;
	return s + (token.empty() ? ", at the end of the text" : ", at '" + token + "'");
}

fault fault_at(std::string_view text, span where, std::string what)
{
	constexpr size_t most = 80; // of an offending text
	auto token = text.substr(where.begin, std::min<size_t>(where.size(), most));
	return {position_of(text, where.begin), std::string(token.substr(0, token.find('\n'))), std::move(what)};
}

} // namespace het::ptx
