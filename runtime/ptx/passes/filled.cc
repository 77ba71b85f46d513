// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/filled.h"

#include <algorithm>

namespace het::ptx
{

std::string filled(std::string_view text, places with)
{
	std::string out;
	for (size_t at = 0; at < text.size();) {
		size_t open = std::min(text.find('<', at), text.size()), close = text.find('>', open);
		out += text.substr(at, open - at);
		at = open;
		if (open == text.size())
			break;
		auto name = text.substr(open + 1, close - open - 1);
		for (const auto &[place, what] : with)
			if (place == name && at == open) {
				out += what;
				at = close + 1;
			}
		if (at == open)
			out += text[at++];
	}
	return out;
}

} // namespace het::ptx
