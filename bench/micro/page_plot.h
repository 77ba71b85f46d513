// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Plots the curves of one table.
#pragma once

#include "micro/shown.h"

#include <string>

namespace micro
{

// Returns gnuplot's script, with the data in it.
std::string script_of(const shown &s, const shown_curves &curves);

} // namespace micro
