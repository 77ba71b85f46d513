// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// PTX and cubins, made of OpenCL C by clang with libclc, and by ptxas.
#pragma once

#include "fatbin/document.h"

namespace tool::fat
{

// Without bytes, but with the reason, if it can't be made.
image make_ptx(const std::string &source, const std::string &options, const std::vector<kernel> &kernels);
// @ptx: of make_ptx(); @name: sm_NN.
image make_cubin(const image &ptx, const std::string &name);

} // namespace tool::fat
