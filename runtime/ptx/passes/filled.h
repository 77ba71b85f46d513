// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Fills lines of PTX that have places in them: filled("mov.u32 <to>, <from>;", {{"to", "%r1"}, {"from", "0"}}).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace het::ptx
{

using places = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// Every <name> becomes what stands for it, in all of the text. Other texts in angle brackets stay.
std::string filled(std::string_view text, places with);

} // namespace het::ptx
