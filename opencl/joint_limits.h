// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What holds on a device that is several is worked out from what drivers tell of each.
#pragma once

#include "device.h"
#include "info.h"

namespace hetcl
{

// Answers what is a number, or a few. Returns false if it is not in the table.
bool answer_limit(const _cl_device_id &d, cl_device_info what, answer &a, cl_int *result);

// Returns a number of the table, which must be there.
cl_ulong limit(const _cl_device_id &d, cl_device_info what, unsigned index = 0);

} // namespace hetcl
