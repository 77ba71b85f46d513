// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes SPIR-V of OpenCL C with clang and llvm-spirv.
#pragma once

#include "fatbin/document.h"

namespace tool::fat
{

// Makes SPIR-V. If it can't be made here, the image has no bytes, but the reason.
image make_spirv(const std::string &source, const std::string &options);

// Reads the version that stands in its first words. Returns false if that is no SPIR-V.
bool read_spirv_version(const std::string &bytes, uint32_t *major, uint32_t *minor);

} // namespace tool::fat
