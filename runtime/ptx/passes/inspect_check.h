// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Says which instructions the pass inspect can't do without what they do, and can't do.
#pragma once

#include "ptx/passes/access.h"

namespace het::ptx
{

// Tells why a kernel with such an instruction can't be inspected, whatever it is for.
std::optional<fault> never_inspected(const module &m, const function &f, const statement &s);

// Tells why what the instruction gives must not decide addresses or branches. @of_array says that it is an access to an
// array.
std::optional<fault> unfit_source(const module &m, const function &f, const statement &s, bool of_array);

// Tells why shared memory that decides addresses or branches must not be used so.
std::optional<fault> unfit_for_shared(const module &m, const statement &s);

// These return whether the instruction has a part in what shared memory holds, and local memory.
bool fills_shared(const module &m, const instruction &i);
bool fills_local(const module &m, const instruction &i);

} // namespace het::ptx
