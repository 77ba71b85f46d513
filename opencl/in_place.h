// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "command.h"
#include "memory.h"

namespace hetcl
{

// Enqueues a command that makes these bytes valid where the host sees them, and puts their address there. Nothing is
// held after it: what the host does with them later is seen as with all host memory. Returns a code of the runtime's.
int show_to_host(command &c, const _cl_mem &m, size_t offset, size_t size, uint32_t access, void **address);

// Returns whether the host sees byte @offset at @pointer. To read bytes to where they are, or write them from there, is
// nothing but to show them.
bool is_in_place(const _cl_mem &m, size_t offset, const void *pointer);

} // namespace hetcl
