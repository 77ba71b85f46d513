// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// fork(): the child gets private copies of all linked arrays and gpuvm_malloc() allocations, as they were at that
// moment; the parent keeps the arrays. The child can't use the library.
#pragma once

namespace het
{

// Registers the handlers. Init calls it once.
void open_fork();

} // namespace het
