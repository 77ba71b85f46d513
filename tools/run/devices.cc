// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "run/devices.h"

#include <algorithm>
#include <stdexcept>

namespace tool::run
{

namespace
{

size_t number_of(const std::vector<het::device> &all, het::device d)
{
	return size_t(std::find(all.begin(), all.end(), d) - all.begin());
}

het::device find(const std::vector<het::device> &all, const std::string &name)
{
	std::vector<het::device> fitting;
	for (size_t n = 0; n < all.size(); n++) {
		if (name == std::to_string(n))
			return all[n];
		if (std::string(all[n].name()).find(name) != std::string::npos)
			fitting.push_back(all[n]);
	}
	if (fitting.size() == 1)
		return fitting[0];
	std::string list;
	for (het::device d : all)
		list += "\n  " + title_of(d);
	throw std::runtime_error("--device " + name + ": " + (fitting.empty() ? "none" : "several") +
				 " of that name; these are here, and HET_DEVICES chooses others:" + list);
}

} // namespace

std::string title_of(het::device d)
{
	static const std::vector<het::device> all = het::devices();
	return std::to_string(number_of(all, d)) + " " + d.name();
}

std::vector<het::device> find_devices(const std::vector<std::string> &names)
{
	std::vector<het::device> all = het::devices();
	if (names.empty() || (names.size() == 1 && names[0] == "all"))
		return all;
	std::vector<het::device> chosen;
	for (const std::string &name : names) {
		het::device d = find(all, name);
		if (number_of(chosen, d) == chosen.size())
			chosen.push_back(d);
	}
	return chosen;
}

} // namespace tool::run
