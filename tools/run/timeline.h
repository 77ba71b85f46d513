// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Shows launches in Chrome's trace event format, which chrome://tracing and Perfetto show: a track for the launches and
// one for each device.
#pragma once

#include "run/launches.h"
#include "json/json.h"

namespace tool::run
{

het::json make_timeline(const request &r, const outcome &o);

} // namespace tool::run
