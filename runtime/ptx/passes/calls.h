// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Describes calls as passes look at them.
#pragma once

#include "ptx/module.h"

namespace het::ptx
{

// All parts are null if the instruction is no call, or one of a form that passes do not understand.
struct call_parts {
	const operand *results = nullptr; // a group, or null if there is none
	const operand *callee = nullptr;  // a function's name or a register
	const operand *arguments = nullptr;
};

call_parts parts_of_call(const module &m, const instruction &i);

// Returns the name of the function, or of the register that holds it, or "" if the instruction is no call.
std::string_view callee_of(const module &m, const instruction &i);

} // namespace het::ptx
