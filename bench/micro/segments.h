// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells whether the units of a device share one cache, or segments of it of which each unit is near to one.
#pragma once

#include "micro/curve.h"
#include "micro/recorder.h"

namespace micro
{

// @c has the latency of loads of what a group has brought into a cache, by groups. What lies in the segment near to the
// one that loads takes @near_ns, what lies nowhere in that cache @missed_ns.
fact segments_fact(const std::string &name, const curve &c, double near_ns, double missed_ns);

} // namespace micro
