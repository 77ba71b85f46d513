// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads the values of PTX literals.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace het::ptx
{

// Takes decimal, 0x, 0b and octal, with or without U.
inline std::optional<uint64_t> integer_value(std::string_view s)
{
	if (!s.empty() && (s.back() == 'U' || s.back() == 'u'))
		s.remove_suffix(1);
	int base = 10;
	if (s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		base = 16;
	else if (s.size() > 2 && s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
		base = 2;
	else if (s.size() > 1 && s[0] == '0')
		base = 8;
	s.remove_prefix(base == 16 || base == 2 ? 2 : 0);
	uint64_t v = 0;
	auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v, base);
	if (error != std::errc() || end != s.data() + s.size())
		return std::nullopt;
	return v;
}

struct real_value {
	uint64_t bits;
	bool is_double;
};

inline std::optional<real_value> real_value_of(std::string_view s)
{
	bool f = s.size() > 1 && s[0] == '0' && (s[1] == 'f' || s[1] == 'F');
	bool d = s.size() > 1 && s[0] == '0' && (s[1] == 'd' || s[1] == 'D');
	if (f || d) {
		uint64_t v = 0;
		auto [end, error] = std::from_chars(s.data() + 2, s.data() + s.size(), v, 16);
		if (error != std::errc() || end != s.data() + s.size() || s.size() != (f ? 10 : 18))
			return std::nullopt;
		return real_value{v, d};
	}
	double v = 0;
	auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
	if (error != std::errc() || end != s.data() + s.size())
		return std::nullopt;
	return real_value{std::bit_cast<uint64_t>(v), true};
}

} // namespace het::ptx
