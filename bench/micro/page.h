// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes one HTML page of a run that needs no other file: a summary, what was found, and plots.
#pragma once

#include "json/json.h"

#include <string>

namespace micro
{

// Writes @folder/index.html; gnuplot's scripts and plots stay beside it. Throws if the page can't be written.
void write_page(const het::json &document, const std::string &folder);

// Returns the text with what HTML would take for markup replaced.
std::string escaped(const std::string &text);

std::string base64(const std::string &bytes);

} // namespace micro
