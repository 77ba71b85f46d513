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

// The PTX texts of a file: the file itself, or those inside an image or a program, each with a zero byte after it, as
// GCC leaves them and nvcc does with --no-compress.
std::vector<std::string> texts_of(const std::string &bytes);

// Reads and parses. False, with a message on stderr, if anything is wrong.
bool read_modules(const std::string &path, std::vector<het::ptx::module> *out);

} // namespace tool
