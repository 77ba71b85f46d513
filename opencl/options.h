// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Options of the compiler and the linker are looked at before drivers see them, which differ in what they answer.
#pragma once

namespace hetcl
{

bool are_compiler_options(const char *options);
bool are_linker_options(const char *options);

// Returns whether groups may be smaller at the end of a dimension, as far as the options say.
bool allow_partial_groups(const char *options);

} // namespace hetcl
