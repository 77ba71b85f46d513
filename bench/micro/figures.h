// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The figures of the paper, of any device.
#pragma once

#include "json/json.h"

#include <string>

namespace micro
{

// Writes a plot into @folder for each figure of the paper that the results have data for. Returns a text that says of
// each figure where it is, or why it is not there.
std::string write_figures(const het::json &document, const std::string &folder);

} // namespace micro
