// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/tokens.h"

#include "fatbin/clang.h"

#include <sstream>

namespace tool::fat
{

namespace
{

// An entry is "KIND 'TEXT'<tab>[FLAGS]Loc=<FILE:LINE:COLUMN>", in which the text may go over several lines.
bool take(const std::string &entry, preprocessor_token &t)
{
	std::string kind = entry.substr(0, entry.find(' '));
	size_t from = entry.find('\'') + 1, to = entry.find("'\t", from), at = entry.rfind(':', entry.rfind(':') - 1);
	if (from == 0 || to == entry.npos || at == entry.npos)
		return false;
	t.is = kind == "raw_identifier" ? t.name
	       : kind == "hash"         ? t.hash
	       : kind == "hashhash"     ? t.paste
	       : kind == "l_paren"      ? t.open
					: t.other;
	t.text = t.is == t.name ? entry.substr(from, to - from) : "";
	t.line = unsigned(atoi(entry.c_str() + at + 1));
	t.begins_line = entry.find("[StartOfLine]", to) != entry.npos;
	return kind != "unknown" && kind != "comment" && kind != "eof";
}

} // namespace

std::vector<preprocessor_token> tokens_of(const std::string &source, const std::string &options)
{
	std::string file;
	std::istringstream lines(dump_tokens(source, options, file));
	const std::string place = "Loc=<" + file + ":";
	std::vector<preprocessor_token> all;
	std::string entry;
	bool begins_line = false;
	for (std::string line; std::getline(lines, line);) {
		entry += line;
		// Texts can't know the file's name.
		if (entry.find(place) == entry.npos) {
			entry += '\n';
			continue;
		}
		preprocessor_token t = {};
		bool is_wanted = take(entry, t);
		begins_line = begins_line || t.begins_line; // a comment may stand before
		entry.clear();
		if (!is_wanted)
			continue;
		t.begins_line = begins_line;
		begins_line = false;
		all.push_back(t);
	}
	return all;
}

} // namespace tool::fat
