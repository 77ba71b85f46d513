// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes PTX and cubins: clang with libclc makes PTX of OpenCL C, and ptxas makes cubins of that.
#pragma once

#include "fatbin/document.h"

namespace tool::fat
{

// Makes PTX. If it can't be made, the image has no bytes, but the reason.
image make_ptx(const std::string &source, const std::string &options, const std::vector<kernel> &kernels);
// @ptx comes from make_ptx(); @name is sm_NN.
image make_cubin(const image &ptx, const std::string &name);

} // namespace tool::fat
