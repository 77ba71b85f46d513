// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/launches.h"

#include "fatbin/apart.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace tool::fat
{

bool has_groups_apart(const document &d, const std::string &line)
{
	std::istringstream words(line);
	std::string name;
	format::launch_groups groups;
	words >> name;
	for (uint64_t *numbers : {groups.size, groups.local, groups.offset})
		for (unsigned i = 0; i < 3; i++)
			words >> numbers[i];
	auto k = std::find_if(d.kernels.begin(), d.kernels.end(), [&](const kernel &o) { return o.name == name; });
	if (!words || k == d.kernels.end())
		throw std::runtime_error("no launch: '" + line + "'");
	std::vector<format::known_number> arguments;
	for (std::string word; words >> word;)
		arguments.push_back({word != "-", word == "-" ? 0 : std::stoll(word)});
	switch (format::keeps_groups_apart(k->apart.c_str(), groups, arguments)) {
	case format::groups_are::apart:
		return true;
	case format::groups_are::too_many:
		throw std::runtime_error("kernel " + name +
					 ": more is said of its accesses than can be looked through");
	default:
		return false;
	}
}

} // namespace tool::fat
