// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// OpenCL C to SPIR-V, by clang and llvm-spirv.
#pragma once

#include "fatbin/document.h"

namespace tool::fat
{

// Without bytes, but with the reason, if it can't be made here.
image make_spirv(const std::string &source, const std::string &options);

// The version that stands in its first words. False: it is none.
bool read_spirv_version(const std::string &bytes, uint32_t *major, uint32_t *minor);

} // namespace tool::fat
