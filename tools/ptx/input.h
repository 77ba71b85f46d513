// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Files that het-ptx reads: PTX texts, and what contains them.
#pragma once

#include "ptx/module.h"

#include <string>
#include <vector>

namespace tool
{

// "-" is the standard input. False, with a message on stderr, if it can't be read.
bool read_file(const std::string &path, std::string *out);
bool write_file(const std::string &path, std::string_view bytes);

// The PTX texts of a file: the file itself, those of the fat binaries in it, or those that end with a zero byte each,
// as GCC leaves them in images and programs. @problems: what was there but could not be read.
std::vector<std::string> texts_of(const std::string &bytes, std::vector<std::string> *problems);

// Reads and parses. False, with a message on stderr, if anything is wrong.
bool read_modules(const std::string &path, std::vector<het::ptx::module> *out);

} // namespace tool
