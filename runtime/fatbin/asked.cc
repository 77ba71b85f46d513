// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/asked.h"

#include <algorithm>
#include <string_view>

namespace het::fatbin
{

namespace
{

// With so few digits preprocessors can compute with them.
constexpr size_t most_digits = 18;

constexpr std::string_view if_defined = "#ifdef ", if_not = "#if !defined ", or_other = " || ",
			   differs = " + 0 != ", or_unsigned = " || 0 * (", below_zero = " + 0) - 1 > 0",
			   otherwise = "\n#error the text that was analysed is another one\n#endif\n";
constexpr size_t longest =
	if_not.size() + or_other.size() + differs.size() + or_unsigned.size() + below_zero.size() + otherwise.size();

bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Calls f(name, what stands behind the =, whether there is a =) for each word. Returns whether all of them return true.
template <class F> bool for_words(std::string_view words, F f)
{
	while (!words.empty()) {
		size_t end = std::min(words.find(' '), words.size());
		std::string_view word = words.substr(0, end);
		size_t sign = std::min(word.find('='), word.size());
		bool has_sign = sign < word.size();
		if (!f(word.substr(0, sign), word.substr(sign + has_sign), has_sign))
			return false;
		words.remove_prefix(std::min(end + 1, words.size()));
	}
	return true;
}

} // namespace

bool is_asked(const char *words)
{
	return for_words(words, [](std::string_view name, std::string_view number, bool) {
		return !name.empty() && is_letter(name[0]) &&
		       std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); }) &&
		       number.size() <= most_digits && std::all_of(number.begin(), number.end(), is_digit);
	});
}

size_t write_checks(const char *words, char *to)
{
	char *at = to;
	auto put = [&](std::string_view text) { at = std::copy(text.begin(), text.end(), at); };
	for_words(words, [&](std::string_view name, std::string_view number, bool is_defined) {
		put(is_defined ? if_not : if_defined);
		put(name);
		if (!number.empty()) {
			for (std::string_view part : {or_other, name, differs, number, or_unsigned, name, below_zero})
				put(part);
		}
		put(otherwise);
		return true;
	});
	return size_t(at - to);
}

size_t most_checks(size_t length)
{
	return 3 * length + (length / 2 + 1) * longest;
}

} // namespace het::fatbin
