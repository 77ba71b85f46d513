// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// het-analyse, as a child process, tells whether launches may be divided over devices.
#pragma once

#include "fatbin/opencl.h"

namespace tool::fat
{

// Returns what het-analyse reads. @asked is as kernel_row has it; what is not so with this compiler is made so, or an
// exception.
std::string compile_for_analysis(const std::string &source, const std::string &options, const std::string &asked = "");

// Fills in the answers. What can't be analysed gets the reason.
void find_splits(const opencl &cl, const std::string &source, const std::string &options, std::vector<kernel> &kernels);

} // namespace tool::fat
