// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Gives some functions in OpenCL C other names. No system call is made.
#pragma once

#include <cstddef>
#include <span>

namespace het::rt
{

inline constexpr char renamed_prefix[] = "het_";

// Puts the prefix before each word of @text that is one of @names, but not in comments, strings and numbers. A word
// that is continued on the next line is none. @to has room for most_renamed(@text.size()), if no name is shorter than
// 12. Returns how many bytes it wrote.
size_t rename_words(std::span<const char> text, std::span<const char *const> names, char *to);

constexpr size_t most_renamed(size_t length)
{
	return length + length / 12 * (sizeof(renamed_prefix) - 1);
}

} // namespace het::rt
