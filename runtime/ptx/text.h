// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Names places in a PTX text, and says what is wrong there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace het::ptx
{

// Names the bytes [begin, end) of a module's text.
struct span {
	uint32_t begin = 0, end = 0;

	bool empty() const { return begin == end; }
	uint32_t size() const { return end - begin; }
};

// Both count from 1; columns count bytes.
struct position {
	unsigned line = 1, column = 1;
};

struct fault {
	position at;
	std::string token; // the offending text; it is empty at the end of the text
	std::string what;

	// Returns "12:5: expected ';', found 'add.s32'" and the like.
	std::string describe() const;
};

} // namespace het::ptx
