// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A device that will never answer again.
#pragma once

namespace het
{

// What other copies there are is used instead of its own. A chunk that was valid nowhere else is lost: a touch of it
// raises SIGBUS, until a kernel elsewhere writes it whole; the error callback, stderr and gpuvm_stat() name each array
// that has lost something. No kernel is open there any longer, but for those that are about to fail. Takes the
// structure lock.
void lose_device(unsigned device);

} // namespace het
