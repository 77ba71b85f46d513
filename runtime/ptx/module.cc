// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/module.h"

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
