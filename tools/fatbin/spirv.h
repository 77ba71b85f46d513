// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// clang and llvm-spirv make SPIR-V of OpenCL C.
#pragma once

#include "fatbin/document.h"

namespace tool::fat
{

// Makes SPIR-V; the image has no bytes, but the reason, if it can't be made here.
image make_spirv(const std::string &source, const std::string &options);

// Reads the version that stands in its first words. It is false if that is no SPIR-V.
bool read_spirv_version(const std::string &bytes, uint32_t *major, uint32_t *minor);

} // namespace tool::fat
