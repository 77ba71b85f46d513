// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds what a source asks its compiler: what is found in one compiler's IR holds for what others make of the text if
// they answer the same.
#pragma once

#include <map>
#include <string>

namespace tool::fat
{

// The compiler may have macros of these names, for which the source looks or which it uses. True means that it matters
// what the macro says, not only whether there is one.
using asked_macros = std::map<std::string, bool>;

// Throws std::runtime_error if it can't be told. @options are as clBuildProgram() takes them. clang must be installed.
asked_macros find_asked_macros(const std::string &source, const std::string &options);

// Returns lines that compile where the answers are these; @asked is as kernel_row has it.
std::string text_of_checks(const std::string &asked);

} // namespace tool::fat
