// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A compiler's IR says this about kernels: whether a launch may be divided over devices, and which bytes work-items
// use. Documentation/fatbin.rst has the rules.
//
// LLVM comes into no process that has OpenCL's drivers in it: these bring their own version, and two of them share
// symbols.
#pragma once

#include "fatbin/document.h"

namespace tool::analysis
{

// Returns the kernels of clang's bitcode for SPIR, compiled with -cl-kernel-arg-info, with all answers. It throws if
// that is none.
std::vector<fat::kernel> analyse(const std::string &bitcode);

} // namespace tool::analysis
