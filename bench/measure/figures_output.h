// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Shows figures to people, and puts them into results.
#pragma once

#include "measure/figures.h"

namespace bench
{

// Prints a table of what was measured beside what it must be. Returns how many figures were missed.
size_t show_figures(const std::string &title, const std::vector<figure> &figures, report &out);

} // namespace bench
