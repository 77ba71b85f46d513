// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A device that will never answer again.
#pragma once

#include "core/range.h"

namespace het
{

// What other copies there are is used instead of its own. A chunk that was valid nowhere else is lost: a touch of it
// raises SIGBUS, until a kernel elsewhere writes it whole; the error callback, stderr and gpuvm_stat() name each array
// that has lost something. No kernel is open there any longer, but for those that are about to fail. Takes the
// structure lock.
void lose_device(unsigned device);

// What only the device @of has of @r was in memory of the lost device @in, so it is lost as if that had been the one to
// have it. Returns 0; or GPUVM_ESTATE without a word, perhaps behind a part of it, if a kernel is writing chunks of it.
int lose_only_copies(range r, unsigned of, unsigned in);

// Some bytes of @r were valid on lost devices alone.
bool is_any_lost(range r);

} // namespace het
