// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds out, with het-analyse as a child process, whether launches may be divided over devices.
#pragma once

#include "fatbin/opencl.h"

namespace tool::fat
{

// Returns what het-analyse reads. @asked is as kernel_row has it. If this compiler differs in that, it is made to
// agree, or this throws.
std::string compile_for_analysis(const std::string &source, const std::string &options, const std::string &asked = "");

// Fills in the answers. What can't be analysed gets the reason.
void find_splits(const opencl &cl, const std::string &source, const std::string &options, std::vector<kernel> &kernels);

} // namespace tool::fat
