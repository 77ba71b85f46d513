// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This says which memory of the host's can be watched, and when that begins to pay.
#pragma once

#include <cstddef>

namespace het_omp
{

// Bytes come home lazily from the so-many-th time on that they come home; or by_cost, when it pays (homecomings.h), if
// HET_OPENMP_LAZY does not say which; or never, which is 0: it says so, or libhet does not see the program's calls,
// because it was not preloaded.
constexpr unsigned by_cost = ~0u;
unsigned lazy_from();

// Less is copied sooner than it is watched.
constexpr size_t least_watched = size_t{128} << 10;

// Returns whether all of it is private memory of the program's that no file lies behind, and no stack.
bool can_be_watched(const void *p, size_t nbytes);

// Returns whether system calls may be given what is watched, as libhet's trap allows; says once if not. The program
// must have device memory by now.
bool calls_may_use_watched();

} // namespace het_omp
