// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/request.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace het::paths
{

namespace
{

// Adds one word of the list. Returns false if there is no such word, or it is the second policy.
bool add(std::string_view word, bool &has_policy, request &r)
{
	if (const policy *named = find_policy(word)) {
		r.chosen = named;
		return !std::exchange(has_policy, true);
	}
	if (word == "all")
		return r.all = true;
	unsigned gpu = 0;
	for (char c : word) {
		if (c < '0' || c > '9')
			return false;
		gpu = std::min(10 * gpu + unsigned(c - '0'), request::most_numbers);
	}
	if (word.empty() || gpu == request::most_numbers)
		return false;
	r.helpers |= uint64_t{1} << gpu;
	return true;
}

} // namespace

request read_request(const char *text)
{
	if (!text)
		return {};
	request r{.is_set = true};
	bool has_policy = false;
	for (std::string_view rest = text;;) {
		const size_t comma = rest.find(',');
		if (!add(rest.substr(0, comma), has_policy, r))
			return {.is_understood = false};
		if (comma == rest.npos)
			return r;
		rest.remove_prefix(comma + 1);
	}
}

} // namespace het::paths
