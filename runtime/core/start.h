// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This starts the runtime with its devices and its workers.
#pragma once

namespace het::rt
{

// Starts the runtime at the first call. Returns 0, HET_ESTATE in a forked child, HET_ENOMEM or HET_EARG.
int check_started();

} // namespace het::rt
