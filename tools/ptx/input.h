// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads the files that het-ptx takes: PTX texts, and what contains them.
#pragma once

#include "ptx/module.h"

#include <string>
#include <vector>

namespace tool
{

// Reads a file; "-" is the standard input. Returns false, with a message on stderr, if it can't be read.
bool read_file(const std::string &path, std::string *out);
bool write_file(const std::string &path, std::string_view bytes);

// Returns the PTX texts of a file: the file itself, those of the fat binaries in it, or those that end with a zero byte
// each, as GCC leaves them in images and programs. @problems receives what was there but could not be read.
std::vector<std::string> texts_of(const std::string &bytes, std::vector<std::string> *problems);

// Reads and parses. Returns false, with a message on stderr, if anything is wrong.
bool read_modules(const std::string &path, std::vector<het::ptx::module> *out);

} // namespace tool
