// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Host touches are served here, by resolvers and in signal handlers.
#pragma once

#include "memory/address_index.h"
#include "memory/host_touch.h"

namespace het
{

verdict serve(const address_index<array> &arrays, touch t, server &s);

// Implements touch_sink::touched_here().
bool touched_here(touch t);

} // namespace het
