// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes twins of buffers in host memory.
#pragma once

#include "dev/twin.h"

#include <memory>

namespace het::rt
{

// Returns null if there is no memory.
std::unique_ptr<device_twin> make_host_twin(size_t nbytes);

} // namespace het::rt
