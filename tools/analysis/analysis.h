// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds out from a compiler's IR whether a kernel's launch may be divided over devices, and which bytes work-items use.
// Documentation/fatbin.rst has the rules.
//
// LLVM comes into no process that has OpenCL's drivers in it: these bring their own version, and two of them share
// symbols.
#pragma once

#include "fatbin/document.h"

namespace tool::analysis
{

// Returns the kernels of clang's bitcode for SPIR, compiled with -cl-kernel-arg-info, with all answers. Throws if it is
// no such bitcode.
std::vector<fat::kernel> analyse(const std::string &bitcode);

} // namespace tool::analysis
