// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Chunks of which a lost device had some bytes alone, as the host sees them: pages with such bytes raise SIGBUS, the
// others of the chunk are shown when they are touched, to the host as their only owner. The chunk stays failed, and in
// fragments, until kernels have written all that was lost. Callers hold the array's lock.
#pragma once

#include "memory/array.h"

namespace het
{

// Bytes of the page are lost.
bool is_lost(const array &a, range page);
// Pages of the chunk become what its fragments say: those that have lost bytes raise SIGBUS, and the others are caught.
// Those that the host had are taken away before by lower_access(). Returns 0 or GPUVM_EPROT.
int fail_lost_pages(array &a, uint32_t c);
// These work as trap::protect() and trap::admit() do on the pages that are not lost; from @from on as far as those go.
int protect_rest(array &a, uint32_t c, access to);
int admit_rest(array &a, uint32_t c, uintptr_t from);

} // namespace het
