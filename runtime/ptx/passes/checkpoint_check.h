// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what of a kernel can't be saved.
#pragma once

#include "ptx/passes/flow.h"
#include "ptx/passes/reach.h"

namespace het::ptx
{

// Returns why a kernel can be stopped at the begin of a block alone, or nothing.
std::optional<fault> save_refusal(const module &m, const reach &calls, uint32_t kernel);

// Returns whether the instruction is a barrier of all threads of the block that can tell of a stop.
bool is_whole_barrier(const module &m, const instruction &i);

// Returns where a thread that is at a barrier of the body may stop and come back to: the barrier, or the { of a scope
// around it that does nothing else with other threads. Returns no_index if there is no such place.
uint32_t place_before_barrier(const module &m, const function &f, uint32_t barrier);

// Returns an instruction between two statements of the body that may see what other threads do meanwhile, or null: a
// loop with one may wait for them.
const statement *find_meeting(const module &m, const function &f, uint32_t first, uint32_t last);

} // namespace het::ptx
