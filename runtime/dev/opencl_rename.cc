// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_rename.h"

#include <algorithm>
#include <string_view>

namespace het::rt
{

namespace
{

bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Returns the place behind what begins at @text[0], which is not empty.
size_t end_of_word(std::string_view text, bool is_number)
{
	size_t end = 1;
	while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || (is_number && text[end] == '.')))
		end++;
	return end;
}

// A quote ends with its line at the latest.
size_t end_of_quote(std::string_view text)
{
	size_t end = 1;
	while (end < text.size() && text[end] != text[0] && text[end] != '\n')
		end += text[end] == '\\' ? 2 : 1;
	return std::min(end + 1, text.size());
}

size_t end_of_comment(std::string_view text)
{
	if (text[1] == '*') {
		size_t end = text.find("*/", 2);
		return end == text.npos ? text.size() : end + 2;
	}
	size_t end = 2;
	while (end < text.size() && text[end] != '\n')
		end += text[end] == '\\' ? 2 : 1;
	return std::min(end, text.size());
}

size_t end_of_token(std::string_view text)
{
	if (is_letter(text[0]) || is_digit(text[0]))
		return end_of_word(text, is_digit(text[0]));
	if (text[0] == '"' || text[0] == '\'')
		return end_of_quote(text);
	return text.starts_with("//") || text.starts_with("/*") ? end_of_comment(text) : 1;
}

} // namespace

size_t rename_words(std::span<const char> text, std::span<const char *const> names, char *to)
{
	constexpr std::string_view prefix = renamed_prefix;
	char *at = to;
	for (std::string_view rest(text.data(), text.size()); !rest.empty();) {
		std::string_view token = rest.substr(0, end_of_token(rest));
		if (std::find(names.begin(), names.end(), token) != names.end())
			at = std::copy(prefix.begin(), prefix.end(), at);
		at = std::copy(token.begin(), token.end(), at);
		rest.remove_prefix(token.size());
	}
	return size_t(at - to);
}

} // namespace het::rt
