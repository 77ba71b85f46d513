// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Turns the PTX that clang makes of OpenCL C into what a CUDA driver and libhet take.
#pragma once

#include <string>

namespace tool::fat
{

// Entries become visible; parameters for local memory become offsets in the dynamic shared memory, as struct het_image
// has them; the variable of ptx_builtins.h gets its place. Throws for what PTX can't have, with the line of @source.
std::string lower_ptx(const std::string &text, const std::string &source);

} // namespace tool::fat
