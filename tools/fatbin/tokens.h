// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Returns the words of a source as clang's preprocessor sees them.
#pragma once

#include <string>
#include <vector>

namespace tool::fat
{

// A token is a name, or a sign of the preprocessor's.
struct preprocessor_token {
	enum { name, hash, paste, open, other } is;
	std::string text; // that of names
	unsigned line;
	bool begins_line; // true at the beginning of a line, which goes on where a newline is hidden
};

// Neither comments nor blanks are among them. Throws if clang does.
std::vector<preprocessor_token> tokens_of(const std::string &source, const std::string &options);

} // namespace tool::fat
