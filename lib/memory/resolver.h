// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The threads that serve touches, and how they wait for them.
#pragma once

namespace het
{

struct library;

// False says that a thread could not be had. Init calls it once; lanes 0 to n - 1 are theirs.
bool start_resolvers(library &l, unsigned n, unsigned spin_flag);
unsigned resolver_count();

} // namespace het
