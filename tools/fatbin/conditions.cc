// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/conditions.h"

#include <cctype>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

namespace tool::fat
{

namespace
{

bool is_name_start(char c)
{
	return isalpha(static_cast<unsigned char>(c)) || c == '_';
}

bool is_name(char c)
{
	return is_name_start(c) || isdigit(static_cast<unsigned char>(c));
}

// Without comments and continued lines; each line keeps its number. Texts in quotes become blanks.
std::string without_comments(const std::string &source)
{
	std::string out, lines;
	for (size_t i = 0; i < source.size(); i++) {
		bool is_continued = source[i] == '\\' && i + 1 < source.size() && source[i + 1] == '\n';
		if (is_continued) {
			lines += '\n';
			i++;
			continue;
		}
		if (source.compare(i, 2, "//") == 0) {
			while (i + 1 < source.size() && source[i + 1] != '\n')
				i += source.compare(i + 1, 2, "\\\n") == 0 ? (lines += '\n', 2) : 1;
		} else if (source.compare(i, 2, "/*") == 0) {
			size_t end = std::min(source.find("*/", i + 2), source.size());
			for (; i < end; i++)
				lines.append(source[i] == '\n', '\n');
			i++;
			out += ' ';
		} else if (source[i] == '"' || source[i] == '\'') {
			char quote = source[i++];
			for (; i < source.size() && source[i] != quote && source[i] != '\n'; i++)
				i += source[i] == '\\';
			out += ' ';
		} else {
			out += source[i];
			if (source[i] == '\n')
				out += lines, lines.clear();
		}
	}
	return out;
}

std::vector<std::string_view> names_in(std::string_view text)
{
	std::vector<std::string_view> names;
	for (size_t i = 0; i < text.size();) {
		size_t from = i;
		while (i < text.size() && is_name(text[i]))
			i++;
		if (i == from)
			i++;
		else if (is_name_start(text[from]))
			names.push_back(text.substr(from, i - from));
	}
	return names;
}

// The word behind the # of a directive, and what follows it.
bool is_directive(std::string_view line, std::string_view &word, std::string_view &rest)
{
	size_t at = line.find_first_not_of(" \t");
	if (at == line.npos || line[at] != '#')
		return false;
	at = line.find_first_not_of(" \t", at + 1);
	if (at == line.npos)
		at = line.size();
	size_t end = at;
	while (end < line.size() && is_name(line[end]))
		end++;
	word = line.substr(at, end - at);
	rest = line.substr(end);
	return true;
}

// Those that begin like __ENDIAN_LITTLE__ are the compiler's; these are the same for all.
bool is_compilers(std::string_view name)
{
	return name.size() > 2 && name.starts_with("__") && isupper(static_cast<unsigned char>(name[2])) &&
	       name != "__FILE__" && name != "__LINE__";
}

std::set<std::string, std::less<>> defined_names(const std::string &text, const std::string &options)
{
	std::set<std::string, std::less<>> all = {"defined"};
	std::istringstream lines(text), words(options);
	std::string_view word, rest;
	for (std::string line; std::getline(lines, line);)
		if (is_directive(line, word, rest) && word == "define")
			if (auto names = names_in(rest); !names.empty())
				all.emplace(names[0]);
	for (std::string option; words >> option;) {
		if (!option.starts_with("-D"))
			continue;
		if (option.size() == 2)
			words >> option;
		else
			option.erase(0, 2);
		all.insert(option.substr(0, option.find('=')));
	}
	return all;
}

} // namespace

std::string depends_on_device(const std::string &source, const std::string &options)
{
	std::string text = without_comments(source);
	auto defined = defined_names(text, options);
	std::istringstream lines(text);
	unsigned number = 1;
	for (std::string line; std::getline(lines, line); number++) {
		std::string_view word, rest;
		bool is_asked = is_directive(line, word, rest);
		if (is_asked && (word == "include" || word == "import"))
			return "line " + std::to_string(number) +
			       " includes a file, which is read where it is compiled";
		is_asked = is_asked && (word.starts_with("if") || word.starts_with("elif"));
		for (std::string_view name : names_in(line))
			if ((is_compilers(name) || (is_asked && name != word)) && !defined.contains(name))
				return "line " + std::to_string(number) + " asks for " + std::string(name) +
				       ", which is not the same for all devices";
	}
	return "";
}

} // namespace tool::fat
