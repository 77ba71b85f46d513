// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds what passes and compilers have left in a module, for passes that come later.
#pragma once

#include "ptx/module.h"

namespace het::ptx
{

// What a pass adds to a module has names that begin so; a program's own names must not.
namespace prefix
{
inline constexpr std::string_view checkpoint = "het_checkpoint_", coalesce = "het_coalesce_", dirty = "het_dirty_",
				  inspect = "het_inspect_", resident = "het_resident_", slice = "het_slice_",
				  soft_stack = "het_stack_", touch = "het_touch_", uniform_simt = "het_simd_";
inline constexpr std::string_view all[] = {checkpoint, coalesce,   dirty, inspect,     resident,
					   slice,      soft_stack, touch, uniform_simt};
} // namespace prefix

// Returns whether the function was added by a pass. Others leave it alone, so that instruments do not count each other.
bool added_by_pass(std::string_view function);
// Returns the same of an access to memory in a function of the program's: its address is in a register with the pass's
// prefix.
bool added_by_pass(const module &m, const instruction &i);

// Finds a name in the module that begins with what a pass calls its own: it has that instrument already.
std::optional<fault> has_instrument(const module &m, std::string_view prefix);

// Returns a fault if GCC has made warps of threads, or put their stacks into global memory.
std::optional<fault> transformed_by_gcc(const module &m);

} // namespace het::ptx
