// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A text that was analysed asks its compiler which macros there are that nobody but compilers defines. Another compiler
// makes the same of the text if it gives the same answers.
//
// The answers are words with blanks between: NAME must not be defined; NAME= must be; NAME=3 must be this number.
#pragma once

#include <cstddef>

namespace het::fatbin
{

bool is_asked(const char *words);

// Writes lines that compile only where all of this is so. @to has room for most_checks(strlen(words)). Returns how many
// bytes it wrote.
size_t write_checks(const char *words, char *to);
size_t most_checks(size_t length);

} // namespace het::fatbin
