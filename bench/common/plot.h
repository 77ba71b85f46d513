// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Plots by gnuplot, which is called as a program.
#pragma once

#include <string>

namespace bench
{

// Runs @script twice, for @base.svg and @base.png; it must not set terminal or output. The script and what it
// reads stay beside the plots. Where gnuplot is missing or fails, says so and returns false.
bool plot(const std::string &base, const std::string &script, unsigned width, unsigned height);

// Text as a gnuplot string constant.
std::string gnuplot_string(const std::string &text);

} // namespace bench
