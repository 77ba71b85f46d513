// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is known of the ways that bulk copies of a device take.
#pragma once

#include "core/runtime.h"

namespace het::rt
{

uint32_t count_paths(const het_device &d);
// Returns 0, or HET_EARG without a message if there are not so many.
int describe_path(const het_device &d, uint32_t number, het_path_info &info);

// Returns in how many seconds @nbytes that the device lacks would be there, by what its copies have taken lately, or by
// @rate where nothing is known of these.
double seconds_to_bring(const het_device &d, double nbytes, double rate);

} // namespace het::rt
