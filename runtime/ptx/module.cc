// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/module.h"

#include "ptx/lexer.h"

#include <algorithm>

namespace het::ptx
{

const function *module::find_function(std::string_view name) const
{
	const function *found = nullptr;
	for (const auto &f : functions)
		if (str(f.name) == name && (!found || f.has_body))
			found = &f;
	return found;
}

position module::position_of(uint32_t offset) const
{
	auto line = std::upper_bound(lines.begin(), lines.end(), offset);
	return {unsigned(line - lines.begin()), offset - *std::prev(line) + 1};
}

fault module::fault_at(span where, std::string what) const
{
	constexpr size_t most = 80; // how much of an offending text is shown
	auto token = str(where).substr(0, most);
	return {position_of(where.begin), std::string(token.substr(0, token.find('\n'))), std::move(what)};
}

span module::find_directive(const function &f, std::string_view name) const
{
	lexer words(std::string_view(text).substr(0, f.directives.end), f.directives.begin);
	for (token t = words.next(); t.kind != token_kind::end; t = words.next())
		if (t.kind == token_kind::directive && str(t.text) == name)
			return t.text;
	return {};
}

std::vector<std::string> split_image(std::string_view image)
{
	std::vector<std::string> texts;
	for (size_t at = 0; at < image.size();) {
		size_t end = std::min(image.find('\0', at), image.size());
		if (end > at)
			texts.emplace_back(image.substr(at, end - at));
		at = end + 1;
	}
	return texts;
}

} // namespace het::ptx
