// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells of each instruction of a PTX kernel which unit does it, and what it reads and writes.
#pragma once

#include "pep/allocation.h"
#include "pep/trace.h"

namespace pep::record
{

// Returns one for each statement of the body; for what is no instruction an empty one.
std::vector<instruction> instructions_of(const het::ptx::module &m, const het::ptx::function &f, const allocation &a);

} // namespace pep::record
