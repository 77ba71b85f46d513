// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Whether launches may be divided over devices, by het-analyse as a child process.
#pragma once

#include "fatbin/document.h"

namespace tool::fat
{

// What het-analyse reads.
std::string compile_for_analysis(const std::string &source, const std::string &options);

// Fills in the answers. What can't be analysed gets the reason.
void find_splits(const std::string &source, const std::string &options, std::vector<kernel> &kernels);

} // namespace tool::fat
