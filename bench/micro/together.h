// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies that are under way at the same time: both directions of a device, and several devices.
#pragma once

#include "micro/recorder.h"

namespace micro
{

// Each series has GB/s. Says how many times the faster direction's rate both directions have together.
fact duplex_fact(const bench::series &to_device, const bench::series &to_host, const bench::series &both);

// One engine copies in one direction at a time. @same_way is how many times as fast two copies in one direction are
// together: if a copy alone does not fill its way, nothing follows.
fact engines_fact(const fact &duplex, double same_way);

} // namespace micro
