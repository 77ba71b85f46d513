// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "selection.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace hetcl
{

std::vector<shown> shown_devices()
{
	const char *text = getenv("HET_OPENCL_DEVICES");
	std::vector<shown> chosen;
	for (std::string_view rest = text && *text ? text : "joint,single"; !rest.empty();) {
		const size_t n = std::min(rest.find(','), rest.size());
		const std::string_view word = rest.substr(0, n);
		rest.remove_prefix(std::min(n + 1, rest.size()));
		if (word == "joint")
			chosen.push_back(shown::joint);
		else if (word == "single")
			chosen.push_back(shown::single);
		else
			fprintf(stderr, "libhet: HET_OPENCL_DEVICES: there is no '%.*s': say joint, single, or both\n",
				int(word.size()), word.data());
	}
	return chosen;
}

} // namespace hetcl
