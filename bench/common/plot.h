// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes plots by calling gnuplot as a program.
#pragma once

#include <string>

namespace bench
{

// Runs @script twice, for @base.svg and @base.png; it must not set terminal or output. The script and what it reads
// stay beside the plots. Where gnuplot is missing or fails, this says so and returns false.
bool plot(const std::string &base, const std::string &script, unsigned width, unsigned height);

// Returns the text as a gnuplot string constant.
std::string gnuplot_string(const std::string &text);

} // namespace bench
