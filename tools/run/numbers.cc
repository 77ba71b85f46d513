// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "run/numbers.h"

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace tool::run
{

uint64_t parse_size(const std::string &text, const std::string &what)
{
	constexpr std::string_view suffixes = "KMG";
	const char *end = text.data() + text.size();
	uint64_t value = 0;
	auto [at, error] = std::from_chars(text.data(), end, value);
	size_t suffix = at < end ? suffixes.find(*at) : suffixes.npos;
	unsigned shift = suffix == suffixes.npos ? 0 : 10 * unsigned(suffix + 1);
	at += shift != 0;
	if (error != std::errc() || at != end || value > UINT64_MAX >> shift)
		throw std::runtime_error(what + ": \"" + text +
					 "\" is no number: want digits, and K, M or G if need be");
	return value << shift;
}

int64_t parse_distance(const std::string &text, const std::string &what)
{
	bool negative = text.starts_with('-');
	uint64_t n = parse_size(text.substr(negative), what);
	if (n > INT64_MAX)
		throw std::runtime_error(what + ": " + text + " is too far");
	return negative ? -int64_t(n) : int64_t(n);
}

std::vector<std::string> split(const std::string &text, char at)
{
	std::vector<std::string> parts(1);
	for (char c : text) {
		if (c == at)
			parts.emplace_back();
		else
			parts.back() += c;
	}
	return parts;
}

extent parse_extent(const std::string &text, const std::string &what)
{
	extent e;
	const auto parts = split(text, ',');
	if (parts.size() > e.size.size())
		throw std::runtime_error(what + ": " + text + " has more than three dimensions");
	for (const std::string &part : parts)
		e.size[e.dimensions++] = parse_size(part, what);
	return e;
}

} // namespace tool::run
