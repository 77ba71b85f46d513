// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which bytes of arrays may have been written since a moment: for who has a copy of them from then, and wants to know
// what of it still holds.
//
// It is known by chunks, and costs a number for each from when it is first asked for. A device's writes are known by
// the ends of kernels. The host's are known where it has no page that it may write; where it has one, nothing is known.
// Nor is it of edges, of chunks in fragments, and of memory that is linked nowhere.
#pragma once

#include "core/range.h"

#include <cstdint>

namespace het
{

// Returns the moment: what is written from now on is written after it. Moments rise; 0 is before all.
uint32_t take_moment();

// Arrays in @r take note of what is written from now on. Nobody writes there now; @moment was taken before.
void watch_changes(range r, uint32_t moment);

// Returns up to where no byte from the begin of @r on has been written after the moment. Nobody writes there now.
uintptr_t unchanged_until(range r, uint32_t moment);

} // namespace het
