// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Judges what may be done with a kernel's launches by what it does with memory.
#pragma once

#include "analysis/accesses.h"
#include "fatbin/document.h"

namespace tool::analysis
{

// Fills in the answer about splitting, and what each argument's bytes are used for.
void judge(const accesses &of, values &known, llvm::Function &f, fat::kernel &k);

} // namespace tool::analysis
