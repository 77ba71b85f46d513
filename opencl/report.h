// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// HET_OPENCL_REPORT names a file to which the process adds a line at its end: how many launches there were, and how
// many of them ran on several devices.
#pragma once

#include <het.h>

namespace hetcl
{

// Costs a comparison where nobody wants to know.
void report_launch(het_event *e);

// Returns on how many devices a launch ran that has ended: one may have had several parts of it.
unsigned count_devices(het_event *e);

} // namespace hetcl
